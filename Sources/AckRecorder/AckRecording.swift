import AMQP
import Daemon
import Delivery
import Messages
import Postgres
import Storage

/// Device acks and nacks: states.md (d).
struct AckRecording: Recording {
    let database: Database
    let deadLetters: DeadLetterPublisher
    let configuration: Configuration
    let counters: Counters

    var queue: String { "recorder.acks" }
    var batch: Int { configuration.batch }

    func decode(_ delivery: AMQP.Delivery) throws(MessageError) -> DeviceAck {
        try DeviceAck(decoding: delivery.body)
    }

    func record(_ acks: [DeviceAck], lockWait: Duration?) async throws(RecordingError) {
        let effect: Row
        do throws(PostgresError) {
            effect = try await database.query(
                """
                SELECT * FROM delivery.record_acks(
                    \(acks.map(\.job)), \(acks.map(\.device)), \(acks.map(\.result.rawValue)),
                    \(acks.map(\.origin.rawValue)), \(acks.map(\.evidence)), \(acks.map(\.reason)))
                """, within: configuration.databaseDeadline, lockWait: lockWait
            ).one()
            try counters.add(effect)
        } catch {
            throw RecordingError(error)
        }
    }

    func bury(_ delivery: AMQP.Delivery, _ reason: BurialReason, on consumer: Consumer) async -> Bool {
        await deadLetters.bury(delivery, reason, on: consumer)
    }

    /// Acks by what they changed.
    struct Counters: Sendable {
        private let counters: [(column: String, counter: Counter)]

        init(_ metrics: Metrics) {
            counters =
                ["acknowledged", "failed", "late", "unchanged", "unknown"].map { effect in
                    (
                        effect,
                        metrics.counter(
                            "mobile_delivery_recorder_acks_total", help: "Device acks by what they changed.",
                            labels: ["effect": effect])
                    )
                } + [
                    (
                        "completed",
                        metrics.counter(
                            "mobile_delivery_recorder_jobs_completed_total", help: "Jobs whose last step was an ack.")
                    )
                ]
        }

        func add(_ row: Row) throws(PostgresError) {
            for (column, counter) in counters { counter.add(try row.get(column, as: Int.self)) }
        }
    }
}
