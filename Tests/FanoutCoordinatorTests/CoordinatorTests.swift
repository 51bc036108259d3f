import AMQP
import Daemon
import Delivery
import Messages
import Postgres
import Storage
import TestSupport
import Testing

@testable import FanoutCoordinator

@Suite(.serialized, .timeLimit(.minutes(5)))
struct `A coordinator` {
    @Test(arguments: [
        ("job.submitted.v1", "no JSON", "malformed"), ("job.submitted.v9", "{}", "unknown_version"),
    ])
    func `sends what it cannot read to the dead-letter queue and lives on`(
        type: String, body: String, reason: String
    ) async throws {
        try await CoordinatorFixture.with { fixture in
            try await fixture.withCoordinator {
                try await fixture.publish(type: type, key: "job.submitted", body: Array(body.utf8))
                let dead = try #require(try await fixture.take(1, from: "coordinator.dead").first)
                #expect(dead.headers["md-reason"]?.string == reason)
                #expect(dead.headers["md-exchange"]?.string == "events")
                #expect(dead.headers["md-key"]?.string == "job.submitted")
                #expect(dead.body == Array(body.utf8) && dead.messageID == "event-1" && dead.type == type)
                try await fixture.publish(type: "job.completed.v1", key: "job.completed", body: [])
                let ignored = fixture.metrics.counter("coordinator_events_ignored_total", help: "")
                try await becomes { ignored.value == 1 }
            }
        }
    }

    @Test func `is ready once it has database and broker`() async throws {
        try await CoordinatorFixture.with { fixture in
            try await fixture.withCoordinator {
                try await becomes { fixture.readiness.isReady }
            }
        }
    }

    @Test func `stops consuming while the database is away, and goes on with the same event`() async throws {
        try await CoordinatorFixture.with { fixture in
            let job = try await fixture.commit()
            try await fixture.submit(job)
            var configuration = CoordinatorFixture.configuration
            configuration.unrungAfter = .seconds(3600)
            // What a server that is shutting down answers; the function comes back as it was.
            let definition: String = try await fixture.value(
                """
                SELECT pg_get_functiondef(oid) FROM pg_proc WHERE proname = 'take_fanouts'
                """)
            try await fixture.database.script(
                """
                ALTER FUNCTION delivery.take_fanouts RENAME TO take_fanouts_away;
                CREATE FUNCTION delivery.take_fanouts(only_job uuid, age interval, hold interval, at_most integer)
                RETURNS TABLE (job_id uuid) LANGUAGE plpgsql AS
                $$ BEGIN RAISE EXCEPTION 'away' USING ERRCODE = '57P01'; END $$;
                GRANT EXECUTE ON FUNCTION delivery.take_fanouts TO md_coordinator;
                """)
            try await fixture.withCoordinator(configuration) {
                let device = fixture.account.devices[0]
                let event = JobSubmitted(job: job, account: "a", device: device, at: 1).encoded()
                for _ in 0..<3 { try await fixture.ring(.jobSubmitted, event) }
                // The second event is not delivered to anybody: one was taken, and then the consumer was cancelled.
                try await becomes { try await fixture.ready("coordinator.events") == 2 }
                try await fixture.database.script(
                    "DROP FUNCTION delivery.take_fanouts; \(definition);"
                        + "GRANT EXECUTE ON FUNCTION delivery.take_fanouts TO md_coordinator")
                #expect(try await fixture.take(2).count == 2)
                try await becomes { try await fixture.ready("coordinator.events") == 0 }
            }
        }
    }

    @Test func `refuses to start without its queue, in one line`() async throws {
        try await withScratchDatabase { scratch in
            try await withScratchVirtualHost(topology: false) { host in
                let database = Database(try scratch.settings(as: "md_coordinator"), connections: 1)
                let coordinator = Coordinator(
                    database: database, broker: try AMQP.ConnectionSettings(url: host.amqpURL), instance: "test",
                    metrics: Metrics(), readiness: Readiness())
                let failure = await #expect(throws: CommandFailure.self) { try await coordinator.run() }
                #expect(failure?.status == .systemFile)
                #expect(failure?.line.contains("topology apply") == true)
                await database.close()
            }
        }
    }

    @Test func `refuses to start with a wrong password, in one line`() async throws {
        try await withScratchDatabase { scratch in
            try await withScratchVirtualHost { host in
                let database = Database(try scratch.settings(as: "md_coordinator"), connections: 1)
                let url = host.amqpURL(user: "guest", password: "wrong")
                let coordinator = Coordinator(
                    database: database, broker: try AMQP.ConnectionSettings(url: url), instance: "test",
                    metrics: Metrics(), readiness: Readiness())
                let failure = await #expect(throws: CommandFailure.self) { try await coordinator.run() }
                #expect(failure?.status == .noPermission)
                await database.close()
            }
        }
    }

    @Test func `counts a fan-out as stuck that nobody hands in although a device is through`() async throws {
        try await CoordinatorFixture.with { fixture in
            _ = try await fixture.commit()
            let done = try await fixture.commit()
            try await fixture.database.execute(
                """
                UPDATE delivery.job_device SET state = 'acknowledged', finished_at = now()
                 WHERE job_id = \(done) AND device_id = \(fixture.account.devices[0])
                """)
            var configuration = CoordinatorFixture.configuration
            configuration.stuckLeaseAfter = .zero
            try await fixture.withCoordinator(configuration) {
                let stuck = fixture.metrics.gauge("coordinator_stuck_leases", help: "")
                try await becomes { stuck.value == 1 }
            }
        }
    }

    /// As it would be if a committer of a last step forgot to ask.
    @Test func `completes a job that nobody had completed, and counts it`() async throws {
        try await CoordinatorFixture.with { fixture in
            let waiting = try await fixture.commit(recipients: [])
            let forgotten = try await fixture.commit(recipients: [])
            try await fixture.setDevices(of: forgotten, "acknowledged")
            var configuration = CoordinatorFixture.configuration
            configuration.finalJobsAfter = .zero
            configuration.finalJobsInterval = .milliseconds(100)
            try await fixture.withCoordinator(configuration) {
                try await becomes { try await fixture.text("completed_at", of: forgotten) != nil }
                let overdue = fixture.metrics.counter("coordinator_overdue_jobs_total", help: "")
                try await becomes { overdue.value == 1 }
                #expect(try await fixture.count("type = 'job.completed.v1'", in: "event_outbox") == 1)
                #expect(try await fixture.text("completed_at", of: waiting) == nil)
            }
        }
    }

    @Test(arguments: ["failed", "revoked"])
    func `counts a job as orphaned when no device is left for its fan-out`(state: String) async throws {
        try await CoordinatorFixture.with { fixture in
            _ = try await fixture.commit()
            let orphan = try await fixture.commit()
            try await fixture.setDevices(of: orphan, state)
            var configuration = CoordinatorFixture.configuration
            configuration.finalJobsAfter = .zero
            configuration.finalJobsInterval = .milliseconds(100)
            try await fixture.withCoordinator(configuration) {
                let orphaned = fixture.metrics.gauge("coordinator_orphaned_jobs", help: "")
                try await becomes { orphaned.value == 1 }
                #expect(try await fixture.text("completed_at", of: orphan) == nil)
            }
        }
    }

    @Test func `makes partitions ahead`() async throws {
        try await CoordinatorFixture.with { fixture in
            var configuration = CoordinatorFixture.configuration
            configuration.partitionDays = 12
            let names = "SELECT count(*) FROM pg_inherits WHERE inhparent = 'delivery.push_outbox'::regclass"
            let before: Int = try await fixture.value("\(unescaped: names)")
            try await fixture.withCoordinator(configuration) {
                try await becomes { try await fixture.value("\(unescaped: names)") == before + 5 }
            }
        }
    }
}
