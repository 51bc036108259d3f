import Postgres
import Testing

@Suite(.timeLimit(.minutes(1)))
struct TransactionTests {
    private struct Regret: Error {}

    private func withTable<Result>(_ body: (Connection) async throws -> Result) async throws -> Result {
        try await withConnection { connection in
            try await connection.execute("CREATE TEMPORARY TABLE kept (n int CHECK (n < 100))")
            return try await body(connection)
        }
    }

    private func count(_ connection: Connection) async throws -> Int {
        try await connection.query("SELECT count(*) AS n FROM kept").one()["n"]
    }

    @Test func `what a transaction did stays when its closure returns`() async throws {
        try await withTable { connection in
            let value = try await connection.transaction { transaction in
                try await transaction.execute("INSERT INTO kept VALUES (1), (2)")
                return 7
            }
            #expect(value == 7)
            let left = try await count(connection)
            #expect(left == 2)
        }
    }

    @Test func `what a transaction did is gone when its closure throws`() async throws {
        try await withTable { connection in
            await #expect(throws: Regret.self) {
                try await connection.transaction { transaction in
                    try await transaction.execute("INSERT INTO kept VALUES (1)")
                    throw Regret()
                }
            }
            let left = try await count(connection)
            #expect(left == 0)
        }
    }

    @Test func `a transaction that the server aborted throws even if its closure swallowed the error`() async throws {
        try await withTable { connection in
            await #expect(throws: PostgresError.self) {
                try await connection.transaction { transaction in
                    try await transaction.execute("INSERT INTO kept VALUES (1)")
                    _ = try? await transaction.execute("INSERT INTO kept VALUES (\(1000))")
                }
            }
            let left = try await count(connection)
            #expect(left == 0)
        }
    }

    @Test func `other tasks' statements wait outside a transaction`() async throws {
        try await withTable { connection in
            var outsider: Task<Int, any Error>?
            try await connection.transaction { transaction in
                try await transaction.execute("INSERT INTO kept VALUES (1)")
                outsider = Task {
                    try await connection.execute("INSERT INTO kept VALUES (2)")
                    return try await connection.query("SELECT count(*) AS n FROM kept").one()["n"]
                }
                try await transaction.execute("INSERT INTO kept VALUES (3)")
                let seen: Int = try await transaction.query("SELECT count(*) AS n FROM kept").one()["n"]
                #expect(seen == 2)
            }
            let all = try await outsider?.value
            #expect(all == 3)
        }
    }

    @Test func `many transactions at once each see only their own work`() async throws {
        try await withTable { connection in
            try await withThrowingTaskGroup { group in
                for number in 0..<50 {
                    group.addTask {
                        try await connection.transaction { transaction in
                            let before: Int = try await transaction.query("SELECT count(*) AS n FROM kept").one()["n"]
                            try await transaction.execute("INSERT INTO kept VALUES (\(number))")
                            let after: Int = try await transaction.query("SELECT count(*) AS n FROM kept").one()["n"]
                            #expect(after == before + 1)
                        }
                    }
                    group.addTask { _ = try await connection.query("SELECT \(number)") }
                }
                try await group.waitForAll()
            }
            let left = try await count(connection)
            #expect(left == 50)
        }
    }

    @Test func `a transaction cannot be used after its closure returned`() async throws {
        try await withTable { connection in
            let kept = try await connection.transaction { $0 }
            let error = await #expect(throws: PostgresError.self) { try await kept.query("SELECT 1") }
            #expect(error?.kind == .closed)
        }
    }

    @Test func `a script inside a transaction goes with it`() async throws {
        try await withTable { connection in
            await #expect(throws: Regret.self) {
                try await connection.transaction { transaction in
                    try await transaction.script("INSERT INTO kept VALUES (1); INSERT INTO kept VALUES (2);")
                    throw Regret()
                }
            }
            let left = try await count(connection)
            #expect(left == 0)
        }
    }
}
