public import Postgres

/// Reads the index of dead letters. Nobody takes anything out of a queue to look at it.
public struct DeadLetterIndex: Sendable {
    /// A reason, or an hour, with how many letters.
    public struct Count: Equatable, Sendable {
        public let name: String
        public let letters: Int
    }

    public struct Summary: Equatable, Sendable {
        public let now: Timestamp
        /// Most frequent first.
        public let reasons: [Count]
        /// The last 24 that have any, newest first; the name is the hour's beginning in UTC.
        public let hours: [Count]
        /// Open letters of ordinary uninstalls, which the counts leave out.
        public let uninstalled: Int
    }

    private let database: Database
    private let limit = Duration.seconds(60)

    public init(_ database: Database) { self.database = database }

    /// The newest first, those before `before` if there is one.
    public func page(
        _ filter: DeadLetterFilter, before: Int64 = .max, atMost count: Int
    ) async throws(PostgresError) -> [DeadLetter] {
        let ids: [Int64] = try await database.query(
            "SELECT delivery.matching_letters(\(filter.json)::jsonb, \(before), \(Int32(count)), true) AS ids",
            within: limit
        ).one()["ids"]
        return try await letters(ids)
    }

    /// Nil if there is no letter of that number, open or not.
    public func letter(_ id: Int64) async throws(PostgresError) -> DeadLetter? {
        try await letters([id]).first
    }

    private func letters(_ ids: [Int64]) async throws(PostgresError) -> [DeadLetter] {
        let rows = try await database.query(
            """
            SELECT l.*, v.verdict
              FROM delivery.dead_letter l JOIN delivery.letter_verdicts(\(ids)) v USING (dead_letter_id)
             ORDER BY l.dead_letter_id DESC
            """, within: limit)
        var letters: [DeadLetter] = []
        for row in rows { letters.append(try DeadLetter(row)) }
        return letters
    }

    /// Counts what is open. It reads all of it, so it costs what there is.
    public func summary() async throws(PostgresError) -> Summary {
        let reasons = try await counts(
            """
            SELECT reason AS name, count(*) AS n FROM delivery.dead_letter
             WHERE state = 'open' AND reason <> 'token' GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT 50
            """)
        let hours = try await counts(
            """
            SELECT to_char(date_trunc('hour', recorded_at AT TIME ZONE 'UTC'), 'YYYY-MM-DD HH24:00"Z"') AS name,
                   count(*) AS n
              FROM delivery.dead_letter WHERE state = 'open' AND reason <> 'token' GROUP BY 1 ORDER BY 1 DESC LIMIT 24
            """)
        let row = try await database.query(
            """
            SELECT clock_timestamp() AS now, count(*) AS n FROM delivery.dead_letter
             WHERE state = 'open' AND reason = 'token'
            """, within: limit
        ).one()
        return Summary(
            now: try row["now"], reasons: reasons, hours: hours, uninstalled: Int(try row["n"] as Int64))
    }

    private func counts(_ query: Statement) async throws(PostgresError) -> [Count] {
        var counts: [Count] = []
        for row in try await database.query(query, within: limit) {
            counts.append(Count(name: try row["name"], letters: Int(try row["n"] as Int64)))
        }
        return counts
    }
}
