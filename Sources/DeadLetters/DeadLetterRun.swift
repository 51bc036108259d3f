public import Daemon
public import Operations
import Postgres

/// Replays hints through the outbox, or discards letters, batch by batch. Every batch is one transaction that closes its
/// letters, so a run may be interrupted or killed at any point and begun again: nothing is done twice and nothing is lost.
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
        public var isInterrupted = false
        /// Its line in the audit; nil for a look.
        public var audit: Int64?

        public var replayed: Int { verdicts[.replay] ?? 0 }
        public var skipped: Int { verdicts.values.reduce(0, +) - replayed }
    }

    private let site: ChangeSite
    private let limit = Duration.seconds(60)

    public init(_ site: ChangeSite) { self.site = site }

    /// What a replay would do with each letter, from a look that locks nothing.
    public func preview(_ filter: DeadLetterFilter) async throws -> Result {
        var result = Result()
        try await eachBatch(filter) { letters in
            for row in try await site.database.query(
                "SELECT verdict, count(*) AS n FROM delivery.letter_verdicts(\(letters)) GROUP BY 1", within: limit)
            {
                result.verdicts[try verdict(row), default: 0] += Int(try row["n"] as Int64)
            }
            return true
        }
        return result
    }

    /// At most `rate` letters a second if there is one. `progress` gets how many letters were dealt with. `reason` is for
    /// the audit.
    public func run(
        _ action: Action, _ filter: DeadLetterFilter, reason: String?, rate: Int?, until shutdown: Shutdown,
        progress: (Int) -> Void = { _ in }
    ) async throws -> Result {
        let subject = [filter.words.isEmpty ? "all" : filter.words, reason].compactMap(\.self).joined(separator: ": ")
        let change = try await site.begin(action.command, subject: subject, filter: filter.json)
        var result = Result(audit: change)
        do {
            try await deal(action, filter, change, rate, shutdown, &result, progress)
            try await site.end(change, result.isInterrupted ? "interrupted" : "done")
        } catch {
            // The database may be what failed; then the line stays at `running` with the rows of the last batch.
            try? await site.end(change, "failed: \(error)")
            throw error
        }
        return result
    }

    private func deal(
        _ action: Action, _ filter: DeadLetterFilter, _ change: Int64, _ rate: Int?, _ shutdown: Shutdown,
        _ result: inout Result, _ progress: (Int) -> Void
    ) async throws {
        let began = ContinuousClock.now
        var dealt = 0
        // A tenth of a second's letters at a time, so that the rate is even.
        let batch = min(site.batch, rate.map { max(1, $0 / 10) } ?? site.batch)
        var last: Int64 = 0
        while true {
            if let rate, dealt > 0 {
                let due = began + .seconds(1) * Double(dealt) / Double(rate)
                _ = await shutdown.sleep(for: max(.zero, due - .now))
            }
            if shutdown.isRequested {
                result.isInterrupted = true
                return
            }
            let letters = try await matching(filter, after: last, batch)
            guard let newest = letters.last else { return }
            last = newest
            dealt += letters.count
            switch action {
            case .replay:
                for row in try await site.database.query(
                    "SELECT verdict, number FROM delivery.replay_letters(\(change), \(letters))", within: limit)
                {
                    result.verdicts[try verdict(row), default: 0] += Int(try row["number"] as Int32)
                }
            case .discard:
                let discarded: Int32 = try await site.database.query(
                    "SELECT delivery.discard_letters(\(change), \(letters)) AS n", within: limit
                ).one()["n"]
                result.discarded += Int(discarded)
            }
            progress(dealt)
        }
    }

    private func eachBatch(_ filter: DeadLetterFilter, _ body: ([Int64]) async throws -> Bool) async throws {
        var last: Int64 = 0
        while true {
            let letters = try await matching(filter, after: last, site.batch)
            guard let newest = letters.last, try await body(letters) else { return }
            last = newest
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
