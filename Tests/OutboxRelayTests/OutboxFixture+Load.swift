import Delivery
import Postgres
import TestSupport

@testable import OutboxRelay

/// Many rows at once, and what the relay's statements cost the database: counted, not timed.
extension OutboxFixture {
    /// Commits `count` jobs of the account in one transaction, each with a hint for every device.
    func commitMany(_ count: Int) async throws {
        let arguments = CommitArguments()
        try await admin.execute(
            """
            SELECT count(delivery.commit_job(
                       gen_random_uuid(), \(account.name), \(arguments.documentType), \(arguments.body), 1::smallint,
                       \(arguments.digest), \(arguments.commitment), \(arguments.signature), 'producer-1',
                       \(account.version),
                       ARRAY(SELECT ROW(d::uuid, 'k1', \([UInt8]("sealed".utf8)))::delivery.sealed_key
                               FROM unnest(\(account.devices.map(\.description))) d),
                       '{}', interval '1 hour')::text)
              FROM generate_series(1, \(count))
            """, within: .seconds(60))
    }

    /// One connection as the relay's role: what it did is in the statistics as soon as it was asked to tell.
    func withOneConnection(_ body: (Database, OutboxStore) async throws -> Void) async throws {
        let database = Database(try scratch.settings(as: "md_relay"), connections: 1)
        let store = OutboxStore(database: database, configuration: Configuration(), owner: .random())
        do {
            try await body(database, store)
        } catch {
            await database.close()
            throw error
        }
        await database.close()
    }

    /// Pages of tables and indices that the connection has looked at so far.
    func pages(_ database: Database) async throws -> Int {
        try await database.execute("SELECT pg_stat_force_next_flush()")
        return Int(
            try await database.query(
                """
                SELECT sum(heap_blks_hit + heap_blks_read + coalesce(idx_blks_hit, 0) + coalesce(idx_blks_read, 0))::bigint
                       AS n
                  FROM pg_statio_user_tables
                """
            ).one().get("n", as: Int64.self))
    }

    /// Rows of `due` that statements have fetched by an index so far.
    func fetches(_ database: Database) async throws -> Int {
        try await database.execute("SELECT pg_stat_force_next_flush()")
        return Int(
            try await database.query("SELECT idx_tup_fetch AS n FROM pg_stat_user_tables WHERE relname = 'due'")
                .one().get("n", as: Int64.self))
    }

    /// Updates of `due` so far, and how many of them were HOT.
    func updates(_ database: Database) async throws -> (all: Int64, hot: Int64) {
        try await database.execute("SELECT pg_stat_force_next_flush()")
        let row = try await database.query(
            "SELECT n_tup_upd, n_tup_hot_upd FROM pg_stat_user_tables WHERE relname = 'due'"
        ).one()
        return (try row["n_tup_upd"], try row["n_tup_hot_upd"])
    }

    /// Holds back what the server may clean up, as a forgotten session does, while `body` runs.
    func withPinnedHorizon(_ body: () async throws -> Void) async throws {
        let forgotten = try await Connection.open(try scratch.settings)
        try await forgotten.execute("BEGIN ISOLATION LEVEL REPEATABLE READ")
        _ = try await forgotten.query("SELECT count(*) AS n FROM delivery.due")
        do {
            try await body()
        } catch {
            await forgotten.close()
            throw error
        }
        await forgotten.close()
    }
}
