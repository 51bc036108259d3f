import Daemon

/// The numbers of one coordinator.
struct CoordinatorMetrics: Sendable {
    let events: Counter
    let ignoredEvents: Counter
    let malformedEvents: Counter
    let failedEvents: Counter
    let fanouts: Counter
    let unfinishedFanouts: Counter
    let fanoutSeconds: Histogram
    let messages: Counter
    let completedJobs: Counter
    let expiredJobs: Counter
    let expiredDevices: Counter
    let cancelledJobs: Counter
    let revokedDevices: Counter
    let openedLeases: Counter
    let purgedJobs: Counter
    let purgedFanouts: Counter
    let failedSweeps: Counter
    let stuckLeases: Gauge
    let stuckFanouts: Gauge
    let overdueJobs: Counter
    let orphanedJobs: Gauge

    init(_ metrics: Metrics) {
        events = metrics.counter("coordinator_events_total", help: "Events worked on.")
        ignoredEvents = metrics.counter("coordinator_events_ignored_total", help: "Events meant for others.")
        malformedEvents = metrics.counter(
            "coordinator_events_malformed_total", help: "Messages sent to the dead-letter queue.")
        failedEvents = metrics.counter(
            "coordinator_events_failed_total", help: "Events whose work failed and was left to a sweep.")
        fanouts = metrics.counter("coordinator_fanouts_total", help: "Fan-outs published whole.")
        unfinishedFanouts = metrics.counter(
            "coordinator_fanouts_unfinished_total", help: "Attempts at a fan-out that the broker did not take whole.")
        fanoutSeconds = metrics.histogram(
            "coordinator_fanout_seconds", help: "From taking a fan-out to its last confirm.")
        messages = metrics.counter("coordinator_downstream_messages_total", help: "Downstream messages confirmed.")
        completedJobs = metrics.counter(
            "coordinator_jobs_completed_total", help: "Jobs whose last step was this coordinator's.")
        expiredJobs = metrics.counter(
            "coordinator_jobs_expired_total", help: "Jobs that expired with their fan-out not handed in.")
        expiredDevices = metrics.counter(
            "coordinator_job_devices_expired_total", help: "Devices that did not finish a job before its expiry.")
        cancelledJobs = metrics.counter("coordinator_jobs_cancelled_total", help: "Cancellations carried out.")
        revokedDevices = metrics.counter("coordinator_devices_revoked_total", help: "Revocations carried out.")
        openedLeases = metrics.counter(
            "coordinator_leases_opened_total", help: "Leases taken from a revoked device.")
        purgedJobs = metrics.counter("coordinator_jobs_purged_total", help: "Jobs whose body and keys were deleted.")
        purgedFanouts = metrics.counter(
            "coordinator_fanouts_purged_total", help: "Fan-outs whose ciphertexts were deleted.")
        failedSweeps = metrics.counter("coordinator_sweeps_failed_total", help: "Steps of a sweep that failed.")
        stuckLeases = metrics.gauge(
            "coordinator_stuck_leases",
            help: "Jobs that a device finished long ago and whose fan-out nobody handed in, counted up to 1000.")
        stuckFanouts = metrics.gauge(
            "coordinator_stuck_fanouts", help: "Old submissions that are not published, counted up to 1000.")
        overdueJobs = metrics.counter(
            "coordinator_overdue_jobs_total",
            help: "Jobs that only a sweep completed, although their last step was long ago: a fault of the system.")
        orphanedJobs = metrics.gauge(
            "coordinator_orphaned_jobs",
            help: "Open jobs without a device that could hand in their fan-out, counted up to 1000.")
    }
}

extension LogKey {
    static let count: LogKey = "count"
    static let reason: LogKey = "reason"
    static let recipients: LogKey = "recipients"
    static let step: LogKey = "step"
    static let messageID: LogKey = "message.id"
}
