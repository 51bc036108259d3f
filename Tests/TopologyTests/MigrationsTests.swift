import Glibc
import Postgres
import Testing

@testable import Topology

@Suite(.timeLimit(.minutes(2)))
struct MigrationsTests {
    /// A fresh database for the time of `body`.
    private func withEmptyDatabase(_ body: (ConnectionSettings, Connection) async throws -> Void) async throws {
        let url = try #require(
            getenv("MOBILE_DELIVERY_TEST_DATABASE_URL"),
            "MOBILE_DELIVERY_TEST_DATABASE_URL is not set: run the tests with scripts/test")
        let settings = try ConnectionSettings(url: String(cString: url))
        let name = "migrations_\(UInt64.random(in: 0 ... .max))"
        let server = try await Connection.open(settings)
        try await server.execute("CREATE DATABASE \(unescaped: name)")
        let connection = try await Connection.open(settings.database(name))
        do { try await body(settings.database(name), connection) } catch { Issue.record(error) }
        await connection.close()
        try await server.execute("DROP DATABASE \(unescaped: name) WITH (FORCE)")
        await server.close()
    }

    private let one = Migration(number: 1, name: "0001-one.sql", sql: "CREATE TABLE one (n int);")
    private let two = Migration(
        number: 2, name: "0002-two.sql", sql: "CREATE TABLE two (n int); INSERT INTO one VALUES (1);")

    @Test func `files are applied once and in order`() async throws {
        try await withEmptyDatabase { _, connection in
            #expect(try await Migrations([one, two]).apply(on: connection) == [one, two])
            #expect(try await Migrations([one, two]).apply(on: connection) == [])
            let count: Int = try await connection.query("SELECT count(*) AS n FROM one").one()["n"]
            #expect(count == 1)
        }
    }

    @Test func `a changed file is refused before anything happens`() async throws {
        try await withEmptyDatabase { _, connection in
            _ = try await Migrations([one]).apply(on: connection)
            let changed = Migration(number: 1, name: one.name, sql: "CREATE TABLE one (n bigint);")
            await #expect(throws: MigrationError.changed("0001-one.sql")) {
                try await Migrations([changed, two]).apply(on: connection)
            }
            #expect(try await Migrations([one, two]).pending(on: connection) == [two])
        }
    }

    @Test func `a database that is ahead of the files is refused`() async throws {
        try await withEmptyDatabase { _, connection in
            _ = try await Migrations([one, two]).apply(on: connection)
            await #expect(throws: MigrationError.vanished("0002-two.sql")) {
                try await Migrations([one]).apply(on: connection)
            }
        }
    }

    @Test func `a file that fails is taken back whole and says where`() async throws {
        try await withEmptyDatabase { _, connection in
            let broken = Migration(
                number: 2, name: "0002-broken.sql", sql: "CREATE TABLE half (n int);\n\nSELECT * FROM nowhere;\n")
            let error = await #expect(throws: MigrationError.self) {
                try await Migrations([one, broken]).apply(on: connection)
            }
            #expect(error?.description.hasPrefix("0002-broken.sql was refused and taken back: line 3: ") == true)
            #expect(try await Migrations([one, two]).apply(on: connection) == [two])
            let halves: Int = try await connection.query(
                "SELECT count(*) AS n FROM pg_class WHERE relname = 'half'"
            ).one()["n"]
            #expect(halves == 0)
        }
    }

    @Test func `several at once apply each file once`() async throws {
        try await withEmptyDatabase { settings, connection in
            let applied = try await withThrowingTaskGroup(of: Int.self) { group in
                for _ in 0..<4 {
                    group.addTask {
                        let other = try await Connection.open(settings)
                        let count = try await Migrations([one, two]).apply(on: other).count
                        await other.close()
                        return count
                    }
                }
                return try await group.reduce(0, +)
            }
            #expect(applied == 2)
        }
    }

    @Test func `the migrations of this repository apply to an empty database, twice`() async throws {
        try await withEmptyDatabase { _, connection in
            let migrations = try Migrations(directory: Self.directory)
            #expect(try await migrations.apply(on: connection).count == migrations.migrations.count)
            #expect(try await migrations.apply(on: connection) == [])
        }
    }

    @Test func `a directory without migrations is an error that says which`() {
        let error = #expect(throws: MigrationError.self) { try Migrations(directory: "/nonexistent") }
        #expect(error?.description.contains("/nonexistent") == true)
    }

    @Test(arguments: [
        ("0001-tables.sql", 1), ("0123-a-b.sql", 123), ("1-x.sql", nil), ("0001.sql", nil), ("README", nil),
    ])
    func `a name is a number and words`(name: String, number: Int?) {
        #expect(Migration.number(of: name) == number)
    }

    private static var directory: String {
        let here = #filePath.split(separator: "/").dropLast(3).joined(separator: "/")
        return "/\(here)/topology/postgres"
    }
}
