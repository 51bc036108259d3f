import Delivery
import Postgres
import TestSupport
import Testing
import Topology

/// I-1: a job and its hints are there together or not at all, whenever a commit dies.
@Suite(.serialized, .timeLimit(.minutes(5))) struct KilledCommitTests {
    private static let route = Route(provider: .apns, environment: "sandbox", app: "cheqi")
    private static let tables = [
        "generation_job", "job_body", "job_device", "push_outbox", "due", "fanout_lease", "event_outbox",
    ]

    private func withAccount(_ body: (SampleAccount, Database, ScratchDatabase) async throws -> Void) async throws {
        try await withScratchDatabase { scratch in
            let database = Database(try scratch.settings, connections: 2)
            try await RouteRows.add([Self.route], to: database)
            let account = try await SampleAccount.make(devices: 2, in: database)
            for device in account.devices { try await account.addToken(to: device, route: Self.route, in: database) }
            try await body(account, database, scratch)
            await database.close()
        }
    }

    private func counts(_ database: Database) async throws -> [String: Int] {
        var counts: [String: Int] = [:]
        for table in Self.tables {
            counts[table] = try await database.query("SELECT count(*) FROM delivery.\(unescaped: table)").one().only()
        }
        return counts
    }

    @Test(arguments: ["generation_job", "job_body", "job_device", "push_outbox", "due", "fanout_lease"])
    func `R-19: a backend that dies between two rows of a commit leaves none, and the next attempt all`(table: String)
        async throws
    {
        try await withAccount { account, database, scratch in
            try await database.script(
                """
                CREATE FUNCTION public.die() RETURNS trigger LANGUAGE plpgsql AS $$
                BEGIN PERFORM pg_terminate_backend(pg_backend_pid()); PERFORM pg_sleep(10); RETURN NULL; END; $$;
                CREATE TRIGGER dying AFTER INSERT ON delivery.\(table) FOR EACH ROW EXECUTE FUNCTION public.die();
                """)
            let job = Identifier.random()
            let arguments = CommitArguments { $0.recipients = ["shop"] }
            let producer = Database(try scratch.settings, connections: 1)
            await #expect(throws: PostgresError.self) {
                try await account.commit(job, arguments: arguments, in: producer)
            }
            await producer.close()
            #expect(try await counts(database).values.allSatisfy { $0 == 0 })
            try await database.execute("DROP TRIGGER dying ON delivery.\(unescaped: table)")
            try await account.commit(job, arguments: arguments, in: database)
            let counts = try await counts(database)
            #expect(counts["generation_job"] == 1 && counts["job_device"] == 2)
            #expect(counts["push_outbox"] == 2 && counts["due"] == 2)
        }
    }

    @Test func `R-03: of commits that are killed at any instant every one is whole or nothing`() async throws {
        try await withAccount { account, database, scratch in
            let jobs = (0..<40).map { _ in Identifier.random() }
            for job in jobs {
                let producer = Database(try scratch.settings, connections: 1)
                let process: Int = try await producer.query("SELECT pg_backend_pid()").one().only()
                async let killed = database.query(
                    "SELECT pg_sleep(random() * 0.006), pg_terminate_backend(\(process)::int)")
                _ = try? await account.commit(job, in: producer)
                _ = try await killed
                await producer.close()
            }
            let whole: Int = try await database.query("SELECT count(*) FROM delivery.generation_job").one().only()
            let counts = try await counts(database)
            for table in ["job_device", "push_outbox", "due"] { #expect(counts[table] == 2 * whole, "\(table)") }
            let orphans: Int = try await database.query(
                """
                SELECT count(*) FROM delivery.job_device d
                 WHERE NOT EXISTS (SELECT FROM delivery.push_outbox p
                                    WHERE p.id = d.entry AND p.job_id = d.job_id AND p.device_id = d.device_id)
                """
            ).one().only()
            #expect(orphans == 0)
            for job in jobs { try await account.commit(job, in: database) }
            #expect(try await self.counts(database)["generation_job"] == jobs.count)
        }
    }
}
