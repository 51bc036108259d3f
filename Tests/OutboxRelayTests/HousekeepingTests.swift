import Daemon
import Delivery
import Postgres
import TestSupport
import Testing

@testable import OutboxRelay

/// History and events go by age, and only what nothing needs.
@Suite(.serialized, .timeLimit(.minutes(5)))
struct HousekeepingTests {
    private func keepHouse(_ fixture: OutboxFixture) async {
        await Housekeeping(store: fixture.store, metrics: OutboxMetrics(Metrics())).doAll(until: Shutdown())
    }

    /// Moves a job, its entries and due rows so many days into the past, where they get a partition of their own.
    private func age(_ job: Identifier, days: Int, expired: Int, _ fixture: OutboxFixture) async throws {
        try await fixture.admin.execute(
            """
            UPDATE delivery.generation_job SET created_at = created_at - make_interval(days => \(Int32(days))),
                   expires_at = now() - make_interval(days => \(Int32(expired))) WHERE job_id = \(job)
            """)
        try await fixture.admin.execute(
            """
            UPDATE delivery.due SET created_at = created_at - make_interval(days => \(Int32(days)))
            WHERE entry IN (SELECT entry FROM delivery.job_device WHERE job_id = \(job))
            """)
        try await fixture.admin.execute(
            """
            UPDATE delivery.push_outbox SET created_at = created_at - make_interval(days => \(Int32(days)))
            WHERE job_id = \(job)
            """)
        _ = try await fixture.store.makePartitions()
    }

    private func end(_ job: Identifier, _ fixture: OutboxFixture) async throws {
        try await fixture.admin.execute(
            "DELETE FROM delivery.due WHERE entry IN (SELECT entry FROM delivery.job_device WHERE job_id = \(job))")
        try await fixture.admin.execute(
            """
            UPDATE delivery.push_outbox SET state = 'failed', reason = 'token', finished_at = now() WHERE job_id = \(job)
            """)
    }

    private func days(_ parent: String, _ fixture: OutboxFixture) async throws -> Int {
        try await fixture.admin.query(
            "SELECT count(*) AS n FROM delivery.past_partitions(\(parent))"
        ).one()["n"]
    }

    private func entries(_ fixture: OutboxFixture) async throws -> Int {
        try await fixture.admin.query("SELECT count(*) AS n FROM delivery.push_outbox").one()["n"]
    }

    @Test(arguments: [(expired: 5, stays: true), (expired: 7, stays: false)])
    func `a day of history goes a week after its last job expired at the latest`(_ expired: Int, _ stays: Bool)
        async throws
    {
        try await OutboxFixture.with { fixture in
            let job = try await fixture.commit()[0]
            try await end(job, fixture)
            try await age(job, days: 37, expired: expired, fixture)
            #expect(try await days("push_outbox", fixture) == 1)
            await keepHouse(fixture)
            #expect(try await days("push_outbox", fixture) == (stays ? 1 : 0))
            #expect(try await entries(fixture) == (stays ? 1 : 0))
        }
    }

    @Test func `a day to which a due row points stays, and so does a young one`() async throws {
        try await OutboxFixture.with { fixture in
            let job = try await fixture.commit()[0]
            try await age(job, days: 40, expired: 9, fixture)
            await keepHouse(fixture)
            #expect(try await entries(fixture) == 1)
            try await end(job, fixture)
            await keepHouse(fixture)
            #expect(try await entries(fixture) == 0)
            let young = try await fixture.commit()[0]
            try await end(young, fixture)
            await keepHouse(fixture)
            #expect(try await entries(fixture) == 1)
        }
    }

    @Test func `where one long job keeps the day, the rows of short ones go by themselves`() async throws {
        try await OutboxFixture.with { fixture in
            let jobs = try await fixture.commit(2)
            for job in jobs { try await end(job, fixture) }
            try await age(jobs[0], days: 20, expired: 8, fixture)
            try await age(jobs[1], days: 20, expired: -30, fixture)
            await keepHouse(fixture)
            let left = try await fixture.admin.query("SELECT job_id FROM delivery.push_outbox")
            #expect(try left.map { row in try row["job_id"] as Identifier } == [jobs[1]])
            #expect(try await days("push_outbox", fixture) == 1)
        }
    }

    @Test func `dead letters of dropped history are closed as expired`() async throws {
        try await OutboxFixture.with { fixture in
            let job = try await fixture.commit()[0]
            try await end(job, fixture)
            try await age(job, days: 37, expired: 7, fixture)
            try await fixture.admin.execute(
                """
                INSERT INTO delivery.dead_letter (queue, message_id, reason, entry, entry_created_at)
                SELECT 'hints.apns.dead', id::text, 'token', id, created_at FROM delivery.push_outbox
                """)
            // Without a job it is closed by its history alone; one of a living day stays open.
            try await fixture.admin.execute(
                """
                INSERT INTO delivery.dead_letter (queue, message_id, reason, entry, entry_created_at)
                VALUES ('hints.apns.dead', 'young', 'token', gen_random_uuid(), now())
                """)
            await keepHouse(fixture)
            let states = try await fixture.admin.query("SELECT state FROM delivery.dead_letter ORDER BY dead_letter_id")
            #expect(try states.map { row in try row["state"] as String } == ["expired", "open"])
        }
    }

    @Test func `a re-arm that holds its history row is waited for, a second at most, and seen`() async throws {
        try await OutboxFixture.with { fixture in
            let job = try await fixture.commit()[0]
            try await end(job, fixture)
            try await age(job, days: 37, expired: 7, fixture)
            let rearm = try await Connection.open(try fixture.scratch.settings)
            try await rearm.transaction { transaction in
                try await transaction.execute("SELECT FROM delivery.push_outbox WHERE job_id = \(job) FOR UPDATE")
                let began = ContinuousClock.now
                await keepHouse(fixture)
                #expect(ContinuousClock.now - began < .seconds(10))
                #expect(try await entries(fixture) == 1)
                try await transaction.execute("UPDATE delivery.push_outbox SET state = 'pending' WHERE job_id = \(job)")
                try await transaction.execute(
                    """
                    INSERT INTO delivery.due (entry, created_at, route, share)
                    SELECT id, created_at, 1::smallint, 0::smallint FROM delivery.push_outbox
                    """)
            }
            await rearm.close()
            await keepHouse(fixture)
            #expect(try await entries(fixture) == 1)
        }
    }

    @Test func `events go a week after their day began`() async throws {
        try await OutboxFixture.with { fixture in
            for _ in 0..<3 { try await fixture.announce() }
            let ages: [(Int32, Bool)] = [(6, false), (8, false), (9, true)]
            let ids = try await fixture.admin.query("SELECT id FROM delivery.event_outbox ORDER BY id")
                .map { row in try row["id"] as Identifier }
            for (id, (days, isDue)) in zip(ids, ages) {
                try await fixture.admin.execute(
                    "UPDATE delivery.event_outbox SET created_at = created_at - make_interval(days => \(days)) WHERE id = \(id)"
                )
                try await fixture.admin.execute(
                    "UPDATE delivery.due SET created_at = created_at - make_interval(days => \(days)) WHERE entry = \(id)"
                )
                if !isDue { try await fixture.admin.execute("DELETE FROM delivery.due WHERE entry = \(id)") }
            }
            _ = try await fixture.store.makePartitions()
            await keepHouse(fixture)
            let left = try await fixture.admin.query("SELECT id FROM delivery.event_outbox ORDER BY id")
            #expect(try left.map { row in try row["id"] as Identifier } == [ids[0], ids[2]])
        }
    }

    @Test func `autovacuum comes soon to the hot table`() async throws {
        try await OutboxFixture.with { fixture in
            let options: [String] = try await fixture.admin.query(
                "SELECT reloptions AS o FROM pg_class WHERE oid = 'delivery.due'::regclass"
            ).one()["o"]
            let settings = Dictionary(
                uniqueKeysWithValues: options.map { option in
                    let parts = option.split(separator: "=")
                    return (String(parts[0]), Double(parts[1]) ?? -1)
                })
            #expect(settings["fillfactor"].map { (25...30).contains($0) } == true)
            #expect(settings["autovacuum_vacuum_scale_factor"].map { $0 <= 0.01 } == true)
            #expect(settings["autovacuum_vacuum_threshold"].map { $0 <= 1000 } == true)
            #expect(settings["autovacuum_vacuum_cost_delay"] == 0)
        }
    }
}
