import Delivery
import Postgres
import Storage

extension OutboxStore {
    /// What a route still has to do, for metrics only.
    struct Backlog: Sendable {
        let route: Int16
        var due = 0
        var leased = 0
        var awaiting = 0
        var lapsed = 0
        var oldestDue = Duration.zero
        /// Rows deferred, by reason.
        var deferred: [DeferralClass: Int] = [:]
    }

    /// From a count that all relays and watchers share; made anew only if the last one is old.
    func backlog() async throws(PostgresError) -> [Backlog] {
        var lines: [Int16: Backlog] = [:]
        for row in try await database.query(
            """
            SELECT route, due, leased, awaiting, lapsed, coalesce(extract(epoch FROM oldest_age), 0)::float8 AS oldest
            FROM delivery.outbox_sizes(\(configuration.countEvery))
            """, within: .seconds(15))
        {
            let route: Int16 = try row["route"]
            lines[route] = Backlog(
                route: route, due: Int(try row["due"] as Int64), leased: Int(try row["leased"] as Int64),
                awaiting: Int(try row["awaiting"] as Int64), lapsed: Int(try row["lapsed"] as Int64),
                oldestDue: .seconds(try row["oldest"] as Double))
        }
        for row in try await database.query(
            "SELECT route, reason, rows FROM delivery.outbox_deferrals()", within: .seconds(5))
        {
            let reason = DeferralClass(lastError: try row["reason"])
            lines[try row["route"]]?.deferred[reason, default: 0] += Int(try row["rows"] as Int64)
        }
        return lines.values.sorted { $0.route < $1.route }
    }

    /// Rows of the last count whose lease is this process's.
    func ownLeases() async throws(PostgresError) -> Int {
        let rows = try await database.query(
            "SELECT leased + awaiting AS n FROM delivery.outbox_leases() WHERE owner = \(owner)", within: .seconds(5))
        return Int(try rows.first?.get("n", as: Int64.self) ?? 0)
    }

    /// What of the database itself makes the outbox slow or full.
    struct Health: Sendable {
        var snapshotAge = Duration.zero
        var snapshotOwner = ""
        var deadRows = 0
        /// Nil if `due` was never vacuumed since the server's statistics began.
        var vacuumedAgo: Duration?
        var partitions = 0
        /// How far ahead partitions are there.
        var partitionsAhead = Duration.zero
        var hasStrayRows = false
    }

    func health() async throws(PostgresError) -> Health {
        let row = try await database.query(
            """
            SELECT coalesce(extract(epoch FROM snapshot_age), 0)::float8 AS age,
                   coalesce(concat_ws(' ', snapshot_role, snapshot_application, 'pid ' || snapshot_pid), '') AS owner,
                   dead_rows, extract(epoch FROM vacuumed_ago)::float8 AS vacuumed, partitions,
                   coalesce(extract(epoch FROM partitions_until - now()), 0)::float8 AS ahead, has_stray_rows
            FROM delivery.outbox_health()
            """, within: .seconds(5)
        ).one()
        return Health(
            snapshotAge: .seconds(try row["age"] as Double), snapshotOwner: try row["owner"],
            deadRows: Int(try row["dead_rows"] as Int64),
            vacuumedAgo: (try row["vacuumed"] as Double?).map { .seconds($0) },
            partitions: Int(try row["partitions"] as Int32), partitionsAhead: .seconds(try row["ahead"] as Double),
            hasStrayRows: try row["has_stray_rows"])
    }

    // MARK: Housekeeping

    /// Returns how many were made.
    func makePartitions() async throws(PostgresError) -> Int {
        Int(
            try await database.query("SELECT delivery.make_partitions(7) AS n", within: .seconds(10)).one()
                .get("n", as: Int32.self))
    }

    /// Drops one day of history or events that nothing needs; returns its name, or nil if there is none. The look at a
    /// day's jobs may take longer than other statements of this role may.
    func dropPartition(of parent: String, retention: Duration) async throws -> String? {
        try await database.transaction(within: .seconds(320)) { transaction in
            try await transaction.execute("SET LOCAL statement_timeout = '5min'")
            return try await transaction.query(
                "SELECT delivery.drop_partition(\(parent), \(retention)) AS name"
            ).one()["name"]
        }
    }

    /// Deletes single rows that outlived their job, an hour of history a call; returns whether there is more to look at.
    func sweepHistory(retention: Duration) async throws(PostgresError) -> Bool {
        try await database.query("SELECT more FROM delivery.sweep_history(\(retention))", within: .seconds(15)).one()[
            "more"]
    }

    /// Closes dead letters whose job expired that long ago; returns how many.
    func expireDeadLetters(retention: Duration, atMost limit: Int) async throws(PostgresError) -> Int {
        Int(
            try await database.query(
                "SELECT delivery.expire_dead_letters(\(retention), \(Int32(limit))) AS n", within: .seconds(15)
            ).one().get("n", as: Int32.self))
    }
}
