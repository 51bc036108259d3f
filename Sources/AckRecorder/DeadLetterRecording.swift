import AMQP
import Daemon
import Delivery
import Messages
import Postgres
import Storage

/// The index of dead letters, and the end of the entry whose current hint died. Never announces anything: it reads what
/// was announced.
struct DeadLetterRecording: Recording {
    let database: Database
    let configuration: Configuration
    let counters: Counters

    var queue: String { "dead.index" }
    var batch: Int { configuration.batch }

    func decode(_ delivery: AMQP.Delivery) throws(MessageError) -> DeadLetter { DeadLetter(delivery) }

    func record(_ letters: [DeadLetter], lockWait: Duration?) async throws(RecordingError) {
        do throws(PostgresError) {
            let effect = try await database.query(
                """
                SELECT * FROM delivery.record_dead_letters(
                    \(letters.map(\.queue)), \(letters.map(\.messageID)), \(letters.map { Int32(clamping: $0.seq) }),
                    \(letters.map(\.type)), \(letters.map(\.reason)),
                    \(letters.map { $0.status.map { Int32(clamping: $0) } }), \(letters.map(\.providerID)),
                    \(letters.map { Int32(clamping: $0.failures) }), \(letters.map(\.firstFailed)),
                    \(letters.map(\.lastFailed)), \(letters.map(\.exchange)), \(letters.map(\.routingKey)),
                    \(letters.map(\.traceparent)), \(letters.map(\.job)), \(letters.map(\.device)),
                    \(letters.map(\.entry)))
                """, within: configuration.databaseDeadline, lockWait: lockWait
            ).one()
            try counters.add(effect)
        } catch {
            throw RecordingError(error)
        }
    }

    /// Into `parking`, by the queue's own dead-letter exchange: a letter to `dead` would come back here.
    func bury(_ delivery: AMQP.Delivery, _ reason: BurialReason, on consumer: Consumer) async -> Bool {
        await consumer.reject(delivery, requeue: false)
        return true
    }

    /// Letters by whether they were new, and entries that they ended.
    struct Counters: Sendable {
        private let recorded: Counter
        private let repeated: Counter
        private let ended: Counter

        init(_ metrics: Metrics) {
            recorded = metrics.counter(
                "mobile_delivery_recorder_dead_letters_total", help: "Dead letters indexed.",
                labels: ["repeated": "false"])
            repeated = metrics.counter(
                "mobile_delivery_recorder_dead_letters_total", help: "Dead letters indexed.",
                labels: ["repeated": "true"])
            ended = metrics.counter(
                "mobile_delivery_recorder_dead_letter_entries_total", help: "Entries that a dead letter ended.")
        }

        func add(_ row: Row) throws(PostgresError) {
            recorded.add(try row.get("recorded", as: Int.self))
            repeated.add(try row.get("repeated", as: Int.self))
            ended.add(try row.get("ended", as: Int.self))
        }
    }
}
