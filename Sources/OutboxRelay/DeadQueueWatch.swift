import AMQP
import Daemon

/// How full the dead-letter queues are. A full one refuses what its senders and the relay bury, and they stand still with
/// it in hand, so somebody has to look when one is half full.
struct DeadQueueWatch {
    /// A queue, the limit of its policy, and more than a message of its kinds takes: a broker tells counts to everybody and
    /// bytes only to its administrators, so the fill is what it can be at most.
    struct Queue: Equatable, Sendable {
        let name: String
        let limit: Int
        let largestMessage: Int

        func fill(messages: Int) -> Double { Double(messages) * Double(largestMessage) / Double(limit) }
    }

    /// `topology/definitions.json`. A batch of 200 outcomes takes 64 KB, a fan-out that nobody took 350 KB.
    static let queues = [
        Queue(name: "hints.apns.dead", limit: 4_000_000_000, largestMessage: 2000),
        Queue(name: "hints.fcm.dead", limit: 4_000_000_000, largestMessage: 2000),
        Queue(name: "coordinator.dead", limit: 4_000_000_000, largestMessage: 2000),
        Queue(name: "recorder.dead", limit: 4_000_000_000, largestMessage: 64_000),
        Queue(name: "parking", limit: 1_000_000_000, largestMessage: 350_000),
    ]
    static let alarm = 0.5

    private let metrics: Metrics
    private var alarmed: Set<String> = []

    init(_ metrics: Metrics) { self.metrics = metrics }

    /// Says so in the log once for every time that a queue comes to be half full.
    mutating func note(_ queue: Queue, messages: Int) {
        let fill = queue.fill(messages: messages)
        metrics.gauge(
            "mobile_delivery_dead_queue_messages", help: "Messages of a dead-letter queue.",
            labels: ["queue": queue.name]
        ).set(messages)
        metrics.gauge(
            "mobile_delivery_dead_queue_fill",
            help:
                "Share of a dead-letter queue's limit that its messages take at most; somebody has to look from 0.5 on.",
            labels: ["queue": queue.name]
        ).set(fill)
        guard fill >= Self.alarm else {
            alarmed.remove(queue.name)
            return
        }
        guard alarmed.insert(queue.name).inserted else { return }
        Log.error(
            "a dead-letter queue may be half full: see docs/runbooks/dead-letter-queue-fills.md",
            [.queue: .string(queue.name), .messages: .integer(Int64(messages))])
    }
}

extension LogKey {
    fileprivate static let messages: LogKey = "messages"
}
