import Daemon
import Postgres
import Topology

/// The migrated database that scratch databases are copies of: made once for a server, migrations and day.
enum TemplateDatabase {
    /// Of every `md_` role on a test server. Roles belong to the whole server, so all tests use the same.
    static let password = "test"

    private static let made = Once()

    /// Waits until it is there.
    static func name(on server: String) async throws -> String { try await made.value { try await make(on: server) } }

    private static func make(on server: String) async throws -> String {
        let migrations = try Migrations(directory: "\(Repository.root)/topology/postgres")
        let settings = try ConnectionSettings(url: server)
        let administrator = try await Connection.open(settings)
        // Tables have a partition a day, so the template is only good for today.
        let day: Int = try await administrator.query("SELECT current_date - '2020-01-01' AS day").one()["day"]
        let name = "md_template_\(String(fingerprint(of: migrations), radix: 36))_\(day)"
        // Other test processes may be at it: one makes it, all others wait.
        try await administrator.execute("SELECT pg_advisory_lock(7305612)")
        let found: Int = try await administrator.query(
            "SELECT count(*) AS count FROM pg_database WHERE datname = \(name)"
        ).one()["count"]
        if found == 0 { try await migrate(name, migrations, settings, administrator) }
        await administrator.close()
        return name
    }

    private static func migrate(
        _ name: String, _ migrations: Migrations, _ settings: ConnectionSettings, _ administrator: Connection
    ) async throws {
        let draft = "\(name)_draft"
        try await administrator.execute("DROP DATABASE IF EXISTS \(unescaped: draft) WITH (FORCE)")
        try await administrator.execute("CREATE DATABASE \(unescaped: draft)")
        let connection = try await Connection.open(settings.database(draft))
        _ = try await migrations.apply(on: connection)
        try await RolePasswords(RolePasswords.settings.mapValues { _ in Secret(password) }).apply(on: connection)
        await connection.close()
        // Renamed last, so that a template under its name is always complete.
        try await administrator.execute("ALTER DATABASE \(unescaped: draft) RENAME TO \(unescaped: name)")
    }

    /// FNV-1a: equal scripts share a template, nothing more depends on it.
    private static func fingerprint(of migrations: Migrations) -> UInt64 {
        let text = migrations.migrations.map(\.sql).joined(separator: "\0")
        return text.utf8.reduce(0xcbf2_9ce4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
    }
}

/// One value a process, whoever asks first.
private actor Once {
    private var task: Task<String, any Error>?

    func value(_ make: @escaping @Sendable () async throws -> String) async throws -> String {
        let task = task ?? Task { try await make() }
        self.task = task
        return try await task.value
    }
}
