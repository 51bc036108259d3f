import Postgres
import TestSupport
import Testing

@Suite(.serialized, .timeLimit(.minutes(5)))
struct `Daily partitions` {
    private func withDatabase(_ body: (Database) async throws -> Void) async throws {
        try await withScratchDatabase { scratch in
            let database = Database(try scratch.settings, connections: 4)
            try await body(database)
            await database.close()
        }
    }

    private func make(_ days: Int, _ database: Database) async throws -> Int {
        try await database.query("SELECT delivery.make_partitions(\(days)::int) AS made").one()["made"]
    }

    @Test func `are made once`() async throws {
        try await withDatabase { database in
            let made = [try await make(9, database), try await make(9, database)]
            #expect(made == [4, 0])
        }
    }

    @Test func `are made by any number of sessions at once`() async throws {
        try await withDatabase { database in
            let made = try await withThrowingTaskGroup(of: Int.self) { group in
                for _ in 0..<4 { group.addTask { try await make(12, database) } }
                return try await group.reduce(0, +)
            }
            #expect(made == 10)
        }
    }

    @Test func `take over what had to go to the default partition`() async throws {
        try await withDatabase { database in
            try await database.execute(
                """
                INSERT INTO delivery.push_outbox (created_at, id, job_id, device_id)
                VALUES (now() + interval '9 days', gen_random_uuid(), gen_random_uuid(), gen_random_uuid())
                """)
            _ = try await make(10, database)
            let left: Int = try await database.query(
                "SELECT count(*) AS count FROM ONLY delivery.push_outbox_default"
            ).one()["count"]
            let all: Int = try await database.query("SELECT count(*) AS count FROM delivery.push_outbox").one()["count"]
            #expect((left, all) == (0, 1))
        }
    }

    @Test func `hold today's rows, so that the default stays empty`() async throws {
        try await withDatabase { database in
            try await database.execute(
                "SELECT delivery.announce('events', 'job.completed', 't', NULL, NULL, '{}', 0::smallint)")
            let stray: Int = try await database.query(
                "SELECT count(*) AS count FROM delivery.event_outbox_default"
            ).one()["count"]
            #expect(stray == 0)
        }
    }
}
