import Postgres
import Testing

@Suite(.timeLimit(.minutes(1)))
struct DatabaseTests {
    private func withDatabase<Result>(
        connections: Int, _ body: (Database) async throws -> Result
    ) async throws -> Result {
        let database = Database(try TestServer.settings(), connections: connections)
        do {
            let result = try await body(database)
            await database.close()
            return result
        } catch {
            await database.close()
            throw error
        }
    }

    @Test func `a lost connection is replaced`() async throws {
        try await withDatabase(connections: 1) { database in
            let first: Int = try await database.query("SELECT pg_backend_pid() AS pid").one()["pid"]
            _ = try? await database.query("SELECT pg_terminate_backend(\(Int32(first)))")
            let second: Int = try await database.query("SELECT pg_backend_pid() AS pid").one()["pid"]
            #expect(first != second)
        }
    }

    @Test func `statements go on while a transaction holds another connection`() async throws {
        try await withDatabase(connections: 2) { database in
            try await database.transaction { transaction in
                let inside: Int = try await transaction.query("SELECT pg_backend_pid() AS pid").one()["pid"]
                let outside: Int = try await database.query("SELECT pg_backend_pid() AS pid").one()["pid"]
                #expect(inside != outside)
            }
        }
    }

    @Test func `an unreachable server is unavailable at the deadline`() async throws {
        let database = Database(try ConnectionSettings(url: "postgres://user:secret@127.0.0.1:1/db"), connections: 1)
        let error = await #expect(throws: PostgresError.self) {
            try await database.query("SELECT 1", within: .milliseconds(200))
        }
        #expect(error?.kind == .unavailable)
        #expect(error?.isRetriable == true)
        #expect(await database.isConnected == false)
        await database.close()
    }

    @Test func `a fault of configuration is thrown at once`() async throws {
        let database = Database(try TestServer.settings().database("no_such_database"), connections: 2)
        let error = await #expect(throws: PostgresError.self) { try await database.query("SELECT 1") }
        #expect(error?.kind == .missingDatabase)
        await database.close()
    }

    @Test func `a closed database refuses`() async throws {
        let database = Database(try TestServer.settings(), connections: 1)
        _ = try await database.query("SELECT 1")
        await database.close()
        let error = await #expect(throws: PostgresError.self) { try await database.query("SELECT 1") }
        #expect(error?.kind == .closed)
    }
}
