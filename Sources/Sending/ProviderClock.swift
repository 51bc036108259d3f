public import Daemon
import Delivery
import Synchronization

/// How far the provider's clock is from this host's, by the `date` of its answers (RFC 9110, 6.6.1).
public final class ProviderClock: Sendable {
    private let skew: Gauge
    private let last = Mutex("")

    /// `provider` is the label of the metric.
    public init(_ metrics: Metrics, provider: String) {
        skew = metrics.gauge(
            "mobile_delivery_sender_clock_skew_seconds", help: "The provider's clock less this host's.",
            labels: ["provider": provider])
    }

    /// `now` is epoch seconds. The answers of one second carry the same date, of which the first tells most.
    public func saw(date: String?, now: Int64) {
        guard let date else { return }
        let isNew = last.withLock { last in
            defer { last = date }
            return last != date
        }
        if isNew, let instant = RetryAfter.date(date) { skew.set(instant - now) }
    }
}
