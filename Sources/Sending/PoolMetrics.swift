public import Daemon
public import HTTP2
import Synchronization

/// The numbers of one credential's pool of connections.
public struct PoolMetrics: Sendable {
    private let metrics: Metrics
    private let pool: String
    private let labels: [String: String]
    private let opened: Counter
    private let failed: Counter
    private let condemned: Counter
    private let latency: Histogram

    /// `pool` names the credential and the place it is for.
    public init(_ metrics: Metrics, pool: String) {
        self.metrics = metrics
        self.pool = pool
        labels = ["pool": pool]
        opened = metrics.counter(
            "mobile_delivery_sender_connections_opened_total", help: "Connections to the provider that were opened.",
            labels: labels)
        failed = metrics.counter(
            "mobile_delivery_sender_connections_failed_total", help: "Attempts that never became a connection.",
            labels: labels)
        condemned = metrics.counter(
            "mobile_delivery_sender_connections_condemned_total", help: "Connections given up after silence.",
            labels: labels)
        latency = metrics.histogram(
            "mobile_delivery_sender_answer_seconds", help: "From the start of a stream to the provider's answer.",
            labels: labels)
    }

    /// What a client is to tell.
    public var observer: @Sendable (ClientEvent) -> Void {
        { event in
            switch event {
            case .opened: opened.add()
            case .failed(let reason):
                failed.add()
                Log.warning("no connection to the provider", [.pool: .string(pool), .cause: .string(reason)])
            case .condemned:
                condemned.add()
                Log.warning("the provider fell silent: connection given up", [.pool: .string(pool)])
            case .goAway(let reason):
                metrics.counter(
                    "mobile_delivery_sender_goaways_total", help: "GOAWAYs from the provider by reason.",
                    labels: labels.merging(["reason": Self.label(reason)]) { $1 }
                ).add()
            case .answered(let after): latency.observe(after)
            }
        }
    }

    /// Shows what the pool looks like to whoever asks.
    public func show(_ client: Client) {
        let gauges = client.gauges
        metrics.gauge(
            "mobile_delivery_sender_connections", help: "Connections to the provider that are ready.", labels: labels
        ) { Double(gauges.connections.load(ordering: .relaxed)) }
        metrics.gauge("mobile_delivery_sender_streams_open", help: "Streams in flight.", labels: labels) {
            Double(gauges.streamsOpen.load(ordering: .relaxed))
        }
        metrics.gauge(
            "mobile_delivery_sender_streams_allowed", help: "Streams that the provider and our settings allow.",
            labels: labels
        ) { Double(gauges.streamsAllowed.load(ordering: .relaxed)) }
        metrics.gauge(
            "mobile_delivery_sender_requests_waiting", help: "Requests that wait for a stream.", labels: labels
        ) { Double(gauges.waiting.load(ordering: .relaxed)) }
    }

    /// What the other side says must not make labels without end.
    static func label(_ reason: String) -> String {
        func isPlain(_ byte: UInt8) -> Bool { (0x61...0x7A).contains(byte | 0x20) || byte == 0x5F }
        return (1...40).contains(reason.utf8.count) && reason.utf8.allSatisfy(isPlain) ? reason : "other"
    }
}

extension LogKey {
    static let pool: LogKey = "pool"
}
