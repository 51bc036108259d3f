import Daemon
import Delivery

/// What the tables say, the same from every relay: scrape them all, show the maximum. Every label is one of a short list
/// or a route.
struct OutboxMetrics: Sendable {
    let metrics: Metrics
    private let ownLeases: Gauge
    private let oldestSnapshot: Gauge
    private let deadRows: Gauge
    private let vacuumedAgo: Gauge
    private let partitions: Gauge
    private let partitionsAhead: Gauge
    private let strayRows: Gauge
    let partitionsDropped: Counter

    init(_ metrics: Metrics) {
        self.metrics = metrics
        func gauge(_ name: String, _ help: String) -> Gauge {
            metrics.gauge("mobile_delivery_\(name)", help: help)
        }
        ownLeases = gauge("relay_leased", "Rows whose lease this process holds, awaiting ones included.")
        oldestSnapshot = gauge(
            "postgres_oldest_xmin_age_seconds", "Age of the oldest transaction that keeps vacuum from dead rows.")
        deadRows = gauge("outbox_due_dead_tuples", "Dead rows of due, as the server estimates.")
        vacuumedAgo = gauge("outbox_due_last_autovacuum_age_seconds", "Since the last vacuum of due; -1: none yet.")
        partitions = gauge("outbox_partition_count", "Daily partitions of the history.")
        partitionsAhead = gauge("outbox_partitions_ahead_seconds", "How far ahead partitions are made.")
        strayRows = gauge("outbox_stray_rows", "1 while rows wait in a default partition.")
        partitionsDropped = metrics.counter(
            "mobile_delivery_outbox_partitions_dropped_total", help: "Days of history or events dropped.")
    }

    /// `name` is the route's, or `events`.
    func show(_ line: OutboxStore.Backlog, of name: String) {
        rows("due", "Rows that may go now.", name).set(line.due)
        rows("leased", "Rows that a relay is publishing.", name).set(line.leased)
        rows("awaiting", "Rows with the broker or a sender, before their deadline.", name).set(line.awaiting)
        rows("lapsed", "Rows whose deadline passed without an outcome; they go again once it is proven.", name)
            .set(line.lapsed)
        rows("oldest_due_age_seconds", "How long the oldest row that may go has waited.", name)
            .set(line.oldestDue / .seconds(1))
        for reason in DeferralClass.allCases {
            metrics.gauge(
                "mobile_delivery_outbox_deferred", help: "Rows that wait for later, by reason.",
                labels: ["route": name, "reason": reason.rawValue]
            ).set(line.deferred[reason] ?? 0)
        }
    }

    func show(_ health: OutboxStore.Health, ownLeases: Int) {
        self.ownLeases.set(ownLeases)
        oldestSnapshot.set(health.snapshotAge / .seconds(1))
        deadRows.set(health.deadRows)
        vacuumedAgo.set(health.vacuumedAgo.map { $0 / .seconds(1) } ?? -1)
        partitions.set(health.partitions)
        partitionsAhead.set(health.partitionsAhead / .seconds(1))
        strayRows.set(health.hasStrayRows ? 1 : 0)
    }

    private func rows(_ name: String, _ help: String, _ route: String) -> Gauge {
        metrics.gauge("mobile_delivery_outbox_\(name)", help: help, labels: ["route": route])
    }
}
