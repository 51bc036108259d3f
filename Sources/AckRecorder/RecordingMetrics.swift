import Daemon

/// What every loop counts, by queue.
struct RecordingMetrics: Sendable {
    let messages: Counter
    let buried: Counter
    let conflicts: Counter
    let troubles: Counter
    let held: Counter
    let batchSeconds: Histogram

    init(_ metrics: Metrics, queue: String) {
        let labels = ["queue": queue]
        messages = metrics.counter(
            "mobile_delivery_recorder_messages_total", help: "Messages taken from the queue.", labels: labels)
        buried = metrics.counter(
            "mobile_delivery_recorder_buried_total", help: "Messages that can never be recorded.", labels: labels)
        conflicts = metrics.counter(
            "mobile_delivery_recorder_conflicts_total", help: "Transactions repeated after a conflict.", labels: labels)
        troubles = metrics.counter(
            "mobile_delivery_recorder_database_troubles_total", help: "Attempts that failed for the database's sake.",
            labels: labels)
        held = metrics.counter(
            "mobile_delivery_recorder_held_total",
            help: "Messages set aside because somebody held a row that they change.", labels: labels)
        batchSeconds = metrics.histogram(
            "mobile_delivery_recorder_batch_seconds", help: "From a batch's cut to its acknowledgement.", labels: labels
        )
    }
}
