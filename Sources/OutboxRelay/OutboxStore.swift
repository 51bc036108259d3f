import Delivery
import Postgres
import Storage

/// The relay's statements. Each is one call, committed by itself.
struct OutboxStore: Sendable {
    let database: Database
    let configuration: Configuration
    /// Names this process in `due.lease_owner`.
    let owner: Identifier

    /// A route as its row says, with what an operator wants of it.
    struct RouteRow: Sendable {
        let number: Int16
        let route: Route
        /// Of the route; also its routing key.
        let queue: String
        let isPausedByHand: Bool

        init(number: Int16, route: Route, isPausedByHand: Bool) {
            self.number = number
            self.route = route
            queue = route.queue
            self.isPausedByHand = isPausedByHand
        }
    }

    /// All routes, and the database's clock before they were read.
    func routes() async throws(PostgresError) -> (rows: [RouteRow], now: Timestamp) {
        let answer = try await database.query(
            """
            SELECT route, provider, environment, app, hand_paused, clock_timestamp() AS now
            FROM delivery.route_state
            """, within: .seconds(5))
        var rows: [RouteRow] = []
        var now = Timestamp(microseconds: 0)
        for row in answer {
            now = try row["now"]
            guard let provider = Provider(rawValue: try row["provider"]) else { continue }
            let route = Route(provider: provider, environment: try row["environment"], app: try row["app"])
            rows.append(RouteRow(number: try row["route"], route: route, isPausedByHand: try row["hand_paused"]))
        }
        return (rows, now)
    }

    func claimHints(
        _ row: RouteRow, atMost limit: Int, floors: [Int64], proof: RelayRepublishProof
    ) async throws(PostgresError) -> ClaimAnswer {
        let takenAt = ContinuousClock.now
        let answer = try await database.query(
            """
            SELECT * FROM delivery.claim_hints(
                \(row.number), \(Int32(limit)), \(floors.map(Timestamp.init(microseconds:))), \(owner),
                \(configuration.lease), \(Timestamp(microseconds: proof.proven ?? 0)),
                \(Timestamp(microseconds: proof.recorded ?? 0)), \(Timestamp(microseconds: proof.stale ?? 0)),
                \(Int32(configuration.buryAfter)), \(Int32(configuration.silentAfter)))
            """, within: .seconds(10))
        let columns = try HintColumns(answer)
        return try ClaimAnswer(answer, of: row.number, suspectAfter: configuration.suspectAfter) {
            line throws(PostgresError) in
            try hint(line, columns, row, takenAt: takenAt)
        }
    }

    func claimEvents(atMost limit: Int, floors: [Int64]) async throws(PostgresError) -> ClaimAnswer {
        let takenAt = ContinuousClock.now
        let answer = try await database.query(
            """
            SELECT * FROM delivery.claim_events(
                \(Int32(limit)), \(floors.map(Timestamp.init(microseconds:))), \(owner), \(configuration.eventLease),
                \(Int32(configuration.buryAfter)))
            """, within: .seconds(10))
        return try ClaimAnswer(answer, of: RouteTable.events, suspectAfter: configuration.suspectAfter) {
            line throws(PostgresError) in
            try event(line, takenAt: takenAt)
        }
    }

    // MARK: What became of a publish; each returns how many rows still had the lease

    func confirmHints(_ rows: Leases) async throws(PostgresError) -> Int {
        try await count("SELECT delivery.confirm_hints(\(rows.ids), \(rows.tokens), \(configuration.lease)) AS n")
    }

    func confirmEvents(_ rows: Leases) async throws(PostgresError) -> Int {
        try await count("SELECT delivery.confirm_events(\(rows.ids), \(rows.tokens)) AS n")
    }

    func keepUnknown(_ rows: Leases) async throws(PostgresError) -> Int {
        try await count("SELECT delivery.keep_unknown(\(rows.ids), \(rows.tokens)) AS n")
    }

    func release(_ rows: Leases) async throws(PostgresError) -> Int {
        try await count("SELECT delivery.release_claims(\(rows.ids), \(rows.tokens)) AS n")
    }

    func postpone(_ rows: Leases, by delays: [Duration], errors: [String]) async throws(PostgresError) -> Int {
        try await count("SELECT delivery.defer_claims(\(rows.ids), \(rows.tokens), \(delays), \(errors)) AS n")
    }

    func bury(_ rows: Leases, errors: [String]) async throws(PostgresError) -> Int {
        try await count("SELECT delivery.bury_claims(\(rows.ids), \(rows.tokens), \(errors)) AS n")
    }

    private func count(_ statement: Statement) async throws(PostgresError) -> Int {
        Int(try await database.query(statement, within: .seconds(5)).one().get("n", as: Int32.self))
    }
}

/// Rows in the order of their ids: two transactions that lock the same rows take them in the same order.
struct Leases: Sendable {
    let ids: [Int64]
    let tokens: [Int64]

    /// `leases` in the order of their ids.
    init(_ leases: [Lease]) {
        ids = leases.map(\.id)
        tokens = leases.map(\.token)
    }
}
