import Postgres
import Testing

@Suite(.timeLimit(.minutes(1)))
struct PostgresErrorTests {
    private func refusal(_ change: (ConnectionSettings) -> ConnectionSettings) async throws -> PostgresError? {
        let settings = change(try TestServer.settings())
        return await #expect(throws: PostgresError.self) { try await Connection.open(settings).close() }
    }

    @Test func `an unreachable server is named`() async throws {
        let settings = try ConnectionSettings(url: "postgres://user:secret@127.0.0.1:1/db")
        let error = await #expect(throws: PostgresError.self) { try await Connection.open(settings).close() }
        #expect(error?.kind == .unreachable)
        #expect(error?.isRetriable == true)
        #expect(error?.description.contains("127.0.0.1:1") == true)
        #expect(error?.description.contains("secret") == false)
        #expect(error?.description.contains("\n") == false)
    }

    @Test func `a missing database is told from a missing server`() async throws {
        let error = try await refusal { $0.database("no_such_database") }
        #expect(error?.kind == .missingDatabase)
        #expect(error?.isRetriable == false)
        #expect(error?.sqlState == "3D000")
    }

    @Test func `a missing table advises to migrate`() async throws {
        try await withConnection { connection in
            let error = await #expect(throws: PostgresError.self) {
                try await connection.query("SELECT * FROM nowhere")
            }
            #expect(error?.kind == .missingObject)
            #expect(error?.description.contains("nowhere") == true)
            #expect(error?.description.contains("mobile-delivery migrate") == true)
        }
    }

    @Test func `a missing right is told`() async throws {
        try await withConnection { connection in
            let error = await #expect(throws: PostgresError.self) {
                try await connection.transaction { transaction in
                    try await transaction.execute("SET LOCAL ROLE pg_read_all_stats")
                    try await transaction.execute("SELECT * FROM pg_authid")
                }
            }
            #expect(error?.kind == .missingRight)
        }
    }

    @Test func `a wrong password is a fault of configuration and not repeated in the text`() async throws {
        try await withConnection { connection in
            let role = "wrong_password_\(UInt32.random(in: 0 ... .max))"
            try await connection.script("CREATE ROLE \(role) LOGIN")
            try await connection.setPassword("right", of: role)
            let settings = try TestServer.settings()
            let right = try await Connection.open(settings.user(role, password: "right"))
            await right.close()
            let error = await #expect(throws: PostgresError.self) {
                try await Connection.open(settings.user(role, password: "s3cret")).close()
            }
            try await connection.script("DROP ROLE \(role)")
            #expect(error?.kind == .authenticationFailed)
            #expect(error?.isConfigurationFault == true)
            #expect(error?.description.contains("s3cret") == false)
        }
    }

    @Test(arguments: [
        ("40001", PostgresError.Kind.conflict, true), ("40P01", .conflict, true), ("23505", .constraint, false),
        ("57014", .server, true), ("53300", .server, true), ("55P03", .server, true), ("22012", .server, false),
    ])
    func `the server's states are sorted by what a caller can do`(
        state: String, kind: PostgresError.Kind, isRetriable: Bool
    ) async throws {
        try await withConnection { connection in
            let error = await #expect(throws: PostgresError.self) {
                try await connection.script("DO $$ BEGIN RAISE 'said' USING ERRCODE = '\(state)'; END $$")
            }
            #expect(error?.sqlState == state)
            #expect(error?.kind == kind)
            #expect(error?.isRetriable == isRetriable)
        }
    }
}
