import Messages
public import Postgres

/// Reads the index of dead letters. Nobody takes anything out of a queue to look at it.
public struct DeadLetterIndex: Sendable {
    /// A reason, or an hour, with how many letters.
    public struct Count: Equatable, Sendable {
        public let name: String
        public let letters: Int
    }

    /// Open letters of one queue, beside what the queue holds.
    public struct QueueCount: Equatable, Sendable {
        public let queue: String
        public let open: Int
        public let uninstalled: Int
    }

    public struct Summary: Equatable, Sendable {
        public let now: Timestamp
        /// How old the counts are.
        public let age: Duration
        /// Most frequent first.
        public let reasons: [Count]
        /// The last 24 that have any, newest first; the name is the hour's beginning in UTC.
        public let hours: [Count]
        /// Open letters of ordinary uninstalls, which the counts leave out.
        public let uninstalled: Int
        public let queues: [QueueCount]
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
              FROM unnest(\(ids)) WITH ORDINALITY i (dead_letter_id, place)
              JOIN delivery.dead_letter l USING (dead_letter_id)
              JOIN delivery.letter_verdicts(\(ids)) v USING (dead_letter_id)
             ORDER BY i.place
            """, within: limit)
        var letters: [DeadLetter] = []
        for row in rows { letters.append(try DeadLetter(row)) }
        return letters
    }

    /// Counts of what is open, shared with whoever looks; made anew if they are older than that.
    public func summary(countEvery: Duration = .zero) async throws(PostgresError) -> Summary {
        let row = try await database.query(
            """
            SELECT clock_timestamp() AS now, extract(epoch FROM age)::float8 AS age, reasons::text, hours::text,
                   queues::text
              FROM delivery.count_letters(\(countEvery))
            """, within: limit
        ).one()
        let queues = Self.objects(try row["queues"]).map { object in
            QueueCount(
                queue: object["queue"]?.string ?? "", open: object.number("open"),
                uninstalled: object.number("uninstalled"))
        }
        return Summary(
            now: try row["now"], age: .seconds(try row["age"] as Double),
            reasons: Self.counts(try row["reasons"]), hours: Self.counts(try row["hours"]),
            uninstalled: queues.reduce(0) { $0 + $1.uninstalled }, queues: queues)
    }

    private static func counts(_ json: String) -> [Count] {
        objects(json).map { Count(name: $0["name"]?.string ?? "", letters: $0.number("letters")) }
    }

    private static func objects(_ json: String) -> [JSONValue] {
        (try? JSONValue(parsing: Array(json.utf8)))?.array ?? []
    }
}

extension JSONValue {
    fileprivate func number(_ name: String) -> Int { Int(clamping: self[name]?.integer ?? 0) }
}
