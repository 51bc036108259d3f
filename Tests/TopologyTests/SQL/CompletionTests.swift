import Delivery
import Postgres
import TestSupport
import Testing

@Suite(.serialized, .timeLimit(.minutes(5)))
struct `Completing a job` {
    private func withJob(
        recipients: [String] = [], _ body: (Identifier, SampleAccount, Database) async throws -> Void
    ) async throws {
        try await withScratchDatabase { scratch in
            let database = Database(try scratch.settings, connections: 4)
            let account = try await SampleAccount.make(devices: 2, in: database)
            let job = try await account.commit(arguments: CommitArguments { $0.recipients = recipients }, in: database)
            try await body(job, account, database)
            await database.close()
        }
    }

    private func complete(_ job: Identifier, _ database: Database) async throws -> Bool {
        try await database.query(
            "SELECT cardinality(delivery.try_complete(ARRAY[\(job.description)::uuid])) > 0 AS done"
        ).one()["done"]
    }

    private func setDevices(_ state: String, _ database: Database) async throws {
        try await database.execute("UPDATE delivery.job_device SET state = \(state)")
    }

    private func events(_ database: Database) async throws -> Int {
        try await database.query(
            "SELECT count(*) AS count FROM delivery.event_outbox WHERE routing_key = 'job.completed'"
        ).one()["count"]
    }

    @Test func `waits for every device`() async throws {
        try await withJob { job, account, database in
            try await database.execute(
                """
                UPDATE delivery.job_device SET state = 'acknowledged'
                 WHERE device_id = \(account.devices[0].description)::uuid
                """)
            #expect(try await complete(job, database) == false)
        }
    }

    @Test(arguments: ["acknowledged", "failed", "expired", "revoked"])
    func `takes a device that is final`(state: String) async throws {
        try await withJob { job, _, database in
            try await setDevices(state, database)
            #expect(try await complete(job, database))
        }
    }

    @Test(arguments: [("NULL", false), ("now()", true)])
    func `waits for the fan-out to be finished`(fannedOutAt: String, isComplete: Bool) async throws {
        try await withJob(recipients: ["shop"]) { job, account, database in
            try await setDevices("acknowledged", database)
            try await database.execute(
                """
                INSERT INTO delivery.downstream_submission (job_id, device_id, epoch, digest, fanned_out_at)
                VALUES (\(job.description)::uuid, \(account.devices[0].description)::uuid, 1,
                        \([UInt8](repeating: 1, count: 32)), \(unescaped: fannedOutAt))
                """)
            #expect(try await complete(job, database) == isComplete)
        }
    }

    @Test(arguments: ["expired_at", "cancelled_at"])
    func `leaves a job that ended otherwise`(column: String) async throws {
        try await withJob { job, _, database in
            try await setDevices("acknowledged", database)
            try await database.execute("UPDATE delivery.generation_job SET \(unescaped: column) = now()")
            #expect(try await complete(job, database) == false)
        }
    }

    @Test func `is announced once, however often it is tried`() async throws {
        try await withJob { job, _, database in
            try await setDevices("acknowledged", database)
            for _ in 0..<3 { _ = try await complete(job, database) }
            #expect(try await events(database) == 1)
        }
    }

    @Test func `announces with a due row of route 0`() async throws {
        try await withJob { job, _, database in
            try await setDevices("acknowledged", database)
            _ = try await complete(job, database)
            let due: Int = try await database.query(
                """
                SELECT count(*) AS count FROM delivery.due d JOIN delivery.event_outbox e
                    ON e.id = d.entry AND e.created_at = d.created_at AND d.route = 0
                """
            ).one()["count"]
            #expect(due == 1)
        }
    }

    @Test func `happens when its last two steps commit at the same time`() async throws {
        try await withJob { job, account, database in
            // Each transaction makes one device final and only then tries: neither sees the other's row before its lock.
            try await withThrowingTaskGroup(of: Void.self) { group in
                for device in account.devices {
                    group.addTask {
                        try await database.transaction { transaction in
                            try await transaction.execute(
                                """
                                UPDATE delivery.job_device SET state = 'acknowledged'
                                 WHERE device_id = \(device.description)::uuid
                                """)
                            try await transaction.execute(
                                "SELECT delivery.try_complete(ARRAY[\(job.description)::uuid])")
                        }
                    }
                }
                try await group.waitForAll()
            }
            #expect(try await events(database) == 1)
        }
    }

    @Test func `is refused under an isolation that would not see what it waited for`() async throws {
        try await withJob { job, _, database in
            let failure = await #expect(throws: PostgresError.self) {
                try await database.transaction { transaction in
                    try await transaction.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")
                    try await transaction.execute("SELECT delivery.try_complete(ARRAY[\(job.description)::uuid])")
                }
            }
            #expect(failure?.sqlState == "MD020")
        }
    }
}
