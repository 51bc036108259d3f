import AMQP
import Daemon
import Operations
import Postgres

/// A pass through a queue whose messages are indexed: replays those of the chosen letters, and takes the copies of closed
/// letters away.
struct LetterPass {
    let site: ChangeSite
    let broker: AMQP.ConnectionSettings
    let queue: DeadQueue
    /// Its line in the audit.
    let change: Int64
    private let limit = Duration.seconds(60)

    init(_ site: ChangeSite, _ broker: AMQP.ConnectionSettings, _ queue: DeadQueue, change: Int64) {
        self.site = site
        self.broker = broker
        self.queue = queue
        self.change = change
    }

    /// Replays the messages of `letters` and stops when it has them; with none it goes through the whole queue.
    func run(
        replaying letters: Set<Int64>, pace: inout ReplayPace?, until shutdown: Shutdown
    ) async throws -> QueuePass.Result {
        let pass = QueuePass(broker, queue, enough: letters.isEmpty ? nil : letters.count)
        return try await pass.run(pace: &pace, until: shutdown) { batch in
            try await judge(batch, letters)
        } settled: { decided in
            try await note(decided)
        }
    }

    private func judge(_ batch: [AMQP.Delivery], _ letters: Set<Int64>) async throws -> [QueuePass.Decided] {
        var copies = batch.map { DeadCopy(delivery: $0, queue: queue) }
        for row in try await site.database.query(
            """
            SELECT k.n, l.dead_letter_id, l.state
              FROM unnest(\(copies.map(\.delivery.messageID)), \(copies.map { Int32(clamping: $0.number) }))
                   WITH ORDINALITY k (id, seq, n)
              JOIN delivery.dead_letter l ON l.queue = \(queue.rawValue) AND l.message_id = k.id AND l.seq = k.seq
            """, within: limit)
        {
            let index = Int(try row["n"] as Int64) - 1
            copies[index].letter = try row["dead_letter_id"]
            copies[index].state = try row["state"]
        }
        return copies.map {
            QueuePass.Decided(delivery: $0.delivery, fate: $0.fate(selected: letters), letter: $0.letter)
        }
    }

    private func note(_ decided: [QueuePass.Decided]) async throws {
        let replayed = decided.compactMap { if case .replay = $0.fate { $0.letter } else { nil } }
        if !replayed.isEmpty {
            try await site.database.execute(
                "SELECT delivery.close_messages(\(change), \(replayed))", within: limit)
        }
        let removed = decided.count { $0.fate == .remove }
        if removed > 0 {
            try await site.database.execute(
                "SELECT delivery.note_taken(\(change), 'removed', \(Int32(removed)))", within: limit)
        }
    }
}
