public import AMQP
public import Daemon
public import Operations
import Postgres

/// Replays hints through the outbox and other messages through `replay`, or discards letters, batch by batch. Every batch
/// of hints is one transaction that closes its letters, and a message leaves its queue only when it is confirmed where it
/// belongs: a run may be interrupted or killed at any point and begun again, nothing is done twice and nothing is lost.
public struct DeadLetterRun: Sendable {
    public enum Action: Equatable, Sendable {
        case replay
        case discard

        var command: String { self == .replay ? "dead replay" : "dead discard" }
    }

    public struct Result: Equatable, Sendable {
        /// How many letters got which verdict.
        public var verdicts: [ReplayVerdict: Int] = [:]
        public var discarded = 0
        /// Messages that are no hints, back in the queue that failed.
        public var messages = 0
        /// Copies of closed letters, taken out of their queues.
        public var removed = 0
        public var isInterrupted = false
        /// Its line in the audit; nil for a look.
        public var audit: Int64?

        public init(audit: Int64? = nil) { self.audit = audit }

        public var replayed: Int { verdicts[.replay] ?? 0 }
        public var skipped: Int { verdicts.values.reduce(0, +) - replayed - messages }
    }

    let site: ChangeSite
    /// Nil: messages that are no hints stay where they are, and so do all copies.
    let broker: AMQP.ConnectionSettings?
    private let limit = Duration.seconds(60)

    public init(_ site: ChangeSite, broker: AMQP.ConnectionSettings? = nil) {
        self.site = site
        self.broker = broker
    }

    /// What a replay would do with each letter, from a look that locks nothing.
    public func preview(_ filter: DeadLetterFilter) async throws -> Result {
        var result = Result()
        var last: Int64 = 0
        while true {
            let letters = try await matching(filter, after: last, site.batch)
            guard let newest = letters.last else { break }
            last = newest
            for row in try await site.database.query(
                "SELECT verdict, count(*) AS n FROM delivery.letter_verdicts(\(letters)) GROUP BY 1", within: limit)
            {
                result.verdicts[try verdict(row), default: 0] += Int(try row["n"] as Int64)
            }
        }
        if broker != nil { result.messages = result.verdicts[.message] ?? 0 }
        return result
    }

    /// At most `rate` letters a second if there is one. `progress` gets how many letters were dealt with. `reason` is for
    /// the audit.
    public func run(
        _ action: Action, _ filter: DeadLetterFilter, reason: String?, rate: Int?, until shutdown: Shutdown,
        progress: (Int) -> Void = { _ in }
    ) async throws -> Result {
        let subject = [filter.words.isEmpty ? "all" : filter.words, reason].compactMap(\.self).joined(separator: ": ")
        return try await audited(action.command, subject: subject, filter: filter.json) { change, result in
            var pace = rate.map { ReplayPace(rate: $0) }
            let found = try await deal(action, filter, change, &pace, shutdown, &result, progress)
            try await pass(found, change, &pace, shutdown, &result)
        }
    }

    /// A line of the audit around what `body` does, which gets its number; the line is ended whatever comes of it.
    func audited(
        _ command: String, subject: String, filter: String = "{}",
        _ body: (Int64, inout Result) async throws -> Void
    ) async throws -> Result {
        let change = try await site.begin(command, subject: subject, filter: filter)
        var result = Result(audit: change)
        do {
            try await body(change, &result)
            try await site.end(change, result.isInterrupted ? "interrupted" : "done")
        } catch {
            // The database may be what failed; then the line says `died` with the rows of the last batch.
            try? await site.end(change, "failed: \(error)")
            throw error
        }
        return result
    }

    /// Letters by the queue that has their message.
    struct Found {
        /// Of messages that are to be replayed.
        var messages: [DeadQueue: Set<Int64>] = [:]
        /// How many letters of hints were closed.
        var closed: [DeadQueue: Int] = [:]
    }

    private func deal(
        _ action: Action, _ filter: DeadLetterFilter, _ change: Int64, _ pace: inout ReplayPace?, _ shutdown: Shutdown,
        _ result: inout Result, _ progress: (Int) -> Void
    ) async throws -> Found {
        var found = Found()
        var dealt = 0
        let batch = min(site.batch, pace?.batch ?? site.batch)
        var last: Int64 = 0
        while true {
            if let pause = pace?.pause(at: .now), pause > .zero { _ = await shutdown.sleep(for: pause) }
            if shutdown.isRequested {
                result.isInterrupted = true
                return found
            }
            let letters = try await matching(filter, after: last, batch)
            guard let newest = letters.last else { return found }
            last = newest
            dealt += letters.count
            pace?.took(letters.count, at: .now)
            switch action {
            case .replay: try await replay(letters, change, &found, &result)
            case .discard:
                let discarded: Int32 = try await site.database.query(
                    "SELECT delivery.discard_letters(\(change), \(letters)) AS n", within: limit
                ).one()["n"]
                result.discarded += Int(discarded)
                if broker != nil { try await count(letters, &found) }
            }
            progress(dealt)
        }
    }

    private func replay(
        _ letters: [Int64], _ change: Int64, _ found: inout Found, _ result: inout Result
    ) async throws {
        var hasMessages = false
        for row in try await site.database.query(
            "SELECT verdict, number FROM delivery.replay_letters(\(change), \(letters))", within: limit)
        {
            let verdict = try verdict(row)
            hasMessages = hasMessages || verdict == .message
            result.verdicts[verdict, default: 0] += Int(try row["number"] as Int32)
        }
        guard broker != nil else { return }
        try await count(letters, &found)
        guard hasMessages else { return }
        for row in try await site.database.query(
            """
            SELECT dead_letter_id, queue FROM delivery.dead_letter
             WHERE dead_letter_id = ANY (\(letters)) AND state = 'open' AND entry IS NULL
            """, within: limit)
        {
            guard let queue = DeadQueue(rawValue: try row["queue"]) else { continue }
            found.messages[queue, default: []].insert(try row["dead_letter_id"])
        }
    }

    private func count(_ letters: [Int64], _ found: inout Found) async throws {
        for row in try await site.database.query(
            """
            SELECT queue, count(*) AS n FROM delivery.dead_letter
             WHERE dead_letter_id = ANY (\(letters)) AND state <> 'open' GROUP BY queue
            """, within: limit)
        {
            guard let queue = DeadQueue(rawValue: try row["queue"]) else { continue }
            found.closed[queue, default: 0] += Int(try row["n"] as Int64)
        }
    }

    private func matching(_ filter: DeadLetterFilter, after last: Int64, _ count: Int) async throws -> [Int64] {
        try await site.database.query(
            "SELECT delivery.matching_letters(\(filter.json)::jsonb, \(last), \(Int32(count)), false) AS ids",
            within: limit
        ).one()["ids"]
    }

    private func verdict(_ row: Row) throws -> ReplayVerdict {
        ReplayVerdict(rawValue: try row["verdict"]) ?? .gone
    }
}
