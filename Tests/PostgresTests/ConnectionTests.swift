import Postgres
import Testing

@Suite(.timeLimit(.minutes(1)))
struct ConnectionTests {
    @Test func `a bound value comes back`() async throws {
        try await withConnection { connection in
            let value: Int = try await connection.query("SELECT \(41) + \(1) AS answer").one()["answer"]
            #expect(value == 42)
        }
    }

    @Test func `a bound value is never part of the statement`() async throws {
        try await withConnection { connection in
            let evil = "'; DROP TABLE x; --"
            let value: String = try await connection.query("SELECT \(evil)::text AS said").one()["said"]
            #expect(value == evil)
        }
    }

    @Test func `an error of one statement leaves its neighbours alone`() async throws {
        try await withConnection { connection in
            let first = Task { try await connection.query("SELECT 1 AS n").one().get("n", as: Int.self) }
            let broken = Task { try await connection.query("SELECT 1 / \(0) AS n") }
            let last = Task { try await connection.query("SELECT 3 AS n").one().get("n", as: Int.self) }
            let (one, three) = (try await first.value, try await last.value)
            #expect([one, three] == [1, 3])
            let error = await #expect(throws: PostgresError.self) { try await broken.value }
            #expect(error?.sqlState == "22012")
        }
    }

    @Test func `many tasks share one connection and each gets its own answer`() async throws {
        try await withConnection { connection in
            try await withThrowingTaskGroup { group in
                for number in 0..<500 {
                    group.addTask {
                        let value: Int = try await connection.query("SELECT \(number) AS n").one()["n"]
                        #expect(value == number)
                    }
                }
                try await group.waitForAll()
            }
        }
    }

    @Test func `a statement that touches rows says how many`() async throws {
        try await withConnection { connection in
            try await connection.execute("CREATE TEMPORARY TABLE touched (n int)")
            let touched = try await connection.execute("INSERT INTO touched SELECT generate_series(1, \(7))")
            #expect(touched == 7)
        }
    }

    @Test func `a value larger than the socket's buffers goes both ways`() async throws {
        try await withConnection { connection in
            let large = [UInt8](repeating: 7, count: 8 << 20)
            let value: [UInt8] = try await connection.query("SELECT \(large) AS bytes").one()["bytes"]
            #expect(value == large)
        }
    }

    @Test func `a missed deadline fails the statement and ends the connection`() async throws {
        try await withConnection { connection in
            let error = await #expect(throws: PostgresError.self) {
                try await connection.query("SELECT pg_sleep(30)", within: .milliseconds(100))
            }
            #expect(error?.kind == .deadlineExceeded)
            #expect(await connection.isOpen == false)
            let next = await #expect(throws: PostgresError.self) { try await connection.query("SELECT 1") }
            #expect(next?.kind == .closed)
        }
    }

    @Test func `neighbours of a late statement are still answered`() async throws {
        try await withConnection { connection in
            let late = Task { try await connection.query("SELECT pg_sleep(1.5)", within: .seconds(1)) }
            let neighbour = Task { try await connection.query("SELECT 1 AS n").one().get("n", as: Int.self) }
            let error = await #expect(throws: PostgresError.self) { try await late.value }
            #expect(error?.kind == .deadlineExceeded)
            let answer = try await neighbour.value
            #expect(answer == 1)
        }
    }

    @Test func `a connection that the server ends fails every waiter`() async throws {
        try await withConnection { killer in
            try await withConnection { connection in
                let backend: Int = try await connection.query("SELECT pg_backend_pid() AS pid").one()["pid"]
                let waiters = (0..<2).map { _ in Task { try await connection.query("SELECT pg_sleep(30)") } }
                try await killer.execute("SELECT pg_terminate_backend(\(Int32(backend)))")
                for waiter in waiters {
                    let error = await #expect(throws: PostgresError.self) { try await waiter.value }
                    #expect(error?.isRetriable == true)
                }
                #expect(await connection.isOpen == false)
            }
        }
    }

    @Test func `a script runs several statements and leaves the pipeline usable`() async throws {
        try await withConnection { connection in
            let before = Task { try await connection.query("SELECT 1 AS n").one().get("n", as: Int.self) }
            try await connection.script(
                "CREATE TEMPORARY TABLE scripted (n int); INSERT INTO scripted VALUES (1), (2);")
            let count: Int = try await connection.query("SELECT count(*) AS n FROM scripted").one()["n"]
            #expect(count == 2)
            let earlier = try await before.value
            #expect(earlier == 1)
        }
    }

    @Test func `an error in a script is its own and takes its statements back`() async throws {
        try await withConnection { connection in
            let error = await #expect(throws: PostgresError.self) {
                try await connection.script("CREATE TEMPORARY TABLE scripted (n int); SELECT * FROM missing_table;")
            }
            #expect(error?.kind == .missingObject)
            let count: Int = try await connection.query(
                "SELECT count(*) AS n FROM pg_class WHERE relname = 'scripted' AND pg_table_is_visible(oid)"
            ).one()["n"]
            #expect(count == 0)
        }
    }
}
