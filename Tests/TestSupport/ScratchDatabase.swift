import LocalStack
public import Postgres

/// A database that one test has for itself.
public struct ScratchDatabase: Sendable {
    public let name: String
    private let server: String

    /// As superuser.
    public var url: String { ServerAddress(server).with(path: name) }

    /// As one of the roles that the migrations made, for example `md_relay`; only in a migrated database.
    public func url(as role: String) -> String {
        ServerAddress(server).with(credentials: "\(role):\(TemplateDatabase.password)", path: name)
    }

    public var settings: ConnectionSettings {
        get throws { try ConnectionSettings(url: url) }
    }

    public func settings(as role: String) throws -> ConnectionSettings { try ConnectionSettings(url: url(as: role)) }

    fileprivate init(server: String) {
        self.server = server
        name = "md_test_\(String(UInt64.random(in: .min ... .max), radix: 36))"
    }
}

/// Runs `body` with a database of its own, empty or with every migration applied, and drops it afterwards.
public func withScratchDatabase<Result>(
    migrated: Bool = true, _ body: (ScratchDatabase) async throws -> Result
) async throws -> Result {
    let server = try TestServers.databaseURL
    let administrator = try await Connection.open(ConnectionSettings(url: server))
    let database = ScratchDatabase(server: server)
    let template = migrated ? try await TemplateDatabase.name(on: server) : "template1"
    try await administrator.execute("CREATE DATABASE \(unescaped: database.name) TEMPLATE \(unescaped: template)")
    // What a migration set for a role in this database is not copied with the database.
    try await administrator.execute(
        """
        INSERT INTO pg_db_role_setting
        SELECT copy.oid, setting.setrole, setting.setconfig
        FROM pg_db_role_setting setting
        JOIN pg_database original ON original.oid = setting.setdatabase AND original.datname = \(template)
        JOIN pg_database copy ON copy.datname = \(database.name)
        """)
    let outcome: Swift.Result<Result, any Error>
    do {
        outcome = .success(try await body(database))
    } catch {
        outcome = .failure(error)
    }
    try await administrator.execute("DROP DATABASE \(unescaped: database.name) WITH (FORCE)")
    await administrator.close()
    return try outcome.get()
}
