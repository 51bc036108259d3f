import Daemon

/// The relay's numbers. No label names a device, an entry or a message.
struct RelayMetrics: Sendable {
    let metrics: Metrics
    let claimSeconds: Histogram
    let emptyClaims: Counter
    let confirmSeconds: Histogram
    let commitToConfirmSeconds: Histogram
    let inFlight: Gauge
    /// Settlements that found the lease gone.
    let leasesLost: Counter
    let expiredLeases: Counter
    let settlementFailures: Counter
    let blockedSeconds: Gauge
    let claimsBelowFloor: Counter

    init(_ metrics: Metrics) {
        self.metrics = metrics
        claimSeconds = metrics.histogram(
            "mobile_delivery_relay_claim_seconds", help: "Duration of a claim statement.")
        emptyClaims = metrics.counter(
            "mobile_delivery_relay_claim_empty_total", help: "Claims that found nothing.")
        confirmSeconds = metrics.histogram(
            "mobile_delivery_relay_confirm_seconds", help: "From the publish to the broker's confirm.")
        commitToConfirmSeconds = metrics.histogram(
            "mobile_delivery_relay_commit_to_confirm_seconds",
            help: "From the row's birth to the confirm of its first publish, by the database's clock up to the claim.")
        inFlight = metrics.gauge("mobile_delivery_relay_inflight", help: "Messages on their way to the broker.")
        leasesLost = metrics.counter(
            "mobile_delivery_relay_lease_lost_total", help: "Settlements whose row had another lease or was gone.")
        expiredLeases = metrics.counter(
            "mobile_delivery_relay_expired_lease_total",
            help: "Claimed rows whose last lease had ended: relays that died, hints without an outcome.")
        settlementFailures = metrics.counter(
            "mobile_delivery_relay_settlement_failures_total",
            help: "Statements about published rows that the database did not take; they are tried again.")
        claimsBelowFloor = metrics.counter(
            "mobile_delivery_relay_claim_below_floor_total",
            help: "Rows found by the sweep below the claim's floor: lapsed leases, late commits, released rows.")
        blockedSeconds = metrics.gauge(
            "mobile_delivery_relay_blocked_seconds_total", help: "How long the broker took no messages.")
    }

    /// Rows that the relay gave up by itself: crashes, silence, a body that is gone, a message that cannot be made.
    func buried(_ reason: String) -> Counter {
        metrics.counter(
            "mobile_delivery_relay_buried_total", help: "Rows given up, by reason.", labels: ["reason": reason])
    }

    func claimed(verdict: String) -> Counter {
        metrics.counter(
            "mobile_delivery_relay_claimed_total", help: "Rows that claims touched, by what became of them.",
            labels: ["verdict": verdict])
    }

    func published(_ result: String) -> Counter {
        metrics.counter(
            "mobile_delivery_relay_publish_total", help: "Publishes by result.", labels: ["result": result])
    }

    func reconnected(_ reason: String) -> Counter {
        metrics.counter(
            "mobile_delivery_relay_reconnect_total", help: "Connections to the broker lost, by reason.",
            labels: ["reason": reason])
    }

    func breaker(_ destination: String) -> Gauge {
        metrics.gauge(
            "mobile_delivery_relay_breaker", help: "1 while a destination refuses.",
            labels: ["destination": destination])
    }

    func queueReady(_ queue: String) -> Gauge {
        metrics.gauge("mobile_delivery_relay_queue_ready", help: "Messages ready, as asked.", labels: ["queue": queue])
    }

    func queueCap(_ queue: String) -> Gauge {
        metrics.gauge(
            "mobile_delivery_relay_queue_cap", help: "Most that the queue may hold.", labels: ["queue": queue])
    }
}
