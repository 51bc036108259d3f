import Daemon
import FoundationEssentials
import Postgres
import Storage
import Topology

extension Command {
    /// Ends when the schema is up to date; run before the services, as often as you like.
    static let migrate = Command(
        "migrate", summary: "Bring the database's schema up to date; set the passwords of the services' roles.",
        options: [.flag("dry-run", "only say what would be applied")]
    ) { arguments in
        let reader = EnvironmentReader(ProcessInfo.processInfo.environment)
        let settings = reader.secret("DATABASE_URL", expected: "postgres://user:password@host:port/database") {
            try ConnectionSettings(url: $0)
        }
        let directory = reader.string("MOBILE_DELIVERY_TOPOLOGY_DIRECTORY", default: "topology")
        let passwords = RolePasswords(reading: reader)
        try reader.finish()
        guard let settings = settings?.revealed else { return }
        let migrations = try readMigrations("\(directory)/postgres")
        let connection = try await connect(settings)
        do throws(MigrationError) {
            if arguments.has("dry-run") {
                for migration in try await migrations.pending(on: connection) {
                    Log.info("migration would be applied", [.migration: .string(migration.name)])
                }
            } else {
                for migration in try await migrations.apply(on: connection) {
                    Log.info("migration applied", [.migration: .string(migration.name)])
                }
                try await set(passwords, on: connection)
                Log.info("schema is up to date", [.count: .count(migrations.migrations.count)])
            }
        } catch {
            await connection.close()
            throw CommandFailure(error)
        }
        await connection.close()
    }

    private static func connect(_ settings: ConnectionSettings) async throws(CommandFailure) -> Connection {
        do {
            return try await Connection.open(settings)
        } catch {
            throw CommandFailure(error)
        }
    }

    private static func readMigrations(_ directory: String) throws(CommandFailure) -> Migrations {
        do {
            return try Migrations(directory: directory)
        } catch {
            throw CommandFailure(error)
        }
    }

    private static func set(_ passwords: RolePasswords, on connection: Connection) async throws(MigrationError) {
        do {
            try await passwords.apply(on: connection)
        } catch {
            throw .unavailable("\(error)")
        }
    }
}

extension LogKey {
    fileprivate static let migration: LogKey = "migration"
    fileprivate static let count: LogKey = "count"
}
