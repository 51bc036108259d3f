import Daemon
import Postgres

/// What says of a database that load tests may use it: a schema of their own. Without it a load test would fill somebody's
/// tables and ring somebody's phones.
public enum LoadMark {
    /// Marks the database at `url`, whose owner has to be the user in it.
    public static func set(on url: String) async throws {
        try await with(url) { connection in
            try await connection.script("CREATE SCHEMA IF NOT EXISTS load_test")
        }
    }

    /// Throws unless the database is marked.
    public static func check(_ url: String) async throws {
        try await with(url) { connection in
            let row = try await connection.query(
                """
                SELECT current_database() AS name, EXISTS (SELECT FROM pg_namespace WHERE nspname = 'load_test') AS is_marked
                """
            ).one()
            guard try row["is_marked"] as Bool else {
                let name: String = try row["name"]
                throw CommandFailure(
                    .noPermission,
                    "database \(name) carries no load-test mark: a load test fills tables and sends to every token; "
                        + "if it is meant for that, run `mobile-delivery-lab loadtest mark --database URL` first")
            }
        }
    }

    private static func with(_ url: String, _ body: (Connection) async throws -> Void) async throws {
        do {
            let connection = try await Connection.open(ConnectionSettings(url: url))
            do {
                try await body(connection)
            } catch {
                await connection.close()
                throw error
            }
            await connection.close()
        } catch let error as PostgresError {
            throw CommandFailure(.unavailable, "the database cannot be asked for the load-test mark: \(error)")
        }
    }
}
