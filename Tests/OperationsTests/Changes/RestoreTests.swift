import AMQP
import Daemon
import Delivery
import Postgres
import TestSupport
import Testing

@testable import Operations

/// After a restore from a backup: what the database believes to be due was pushed long ago.
@Suite(.serialized, .timeLimit(.minutes(5)))
struct RestoreTests {
    @Test func `after expire a relay publishes nothing that was committed before, and all that comes after`()
        async throws
    {
        try await RunningSite.with { site in
            try await site.fixture.commit(20)
            try await site.fixture.deferAll("deferred 503 ServiceUnavailable", where: "id % 3 = 0")
            try await site.fixture.leaseAll(confirmed: true, where: "id % 3 = 1")
            try await site.fixture.admin.execute(
                "UPDATE delivery.due SET lease_until = now() - interval '1 hour' WHERE lease_token IS NOT NULL")
            let moment: Timestamp = try await site.fixture.admin.query("SELECT clock_timestamp() AS t").one()["t"]
            var filter = DueFilter()
            filter.committedBefore = moment
            let result = try await ChangeRun(site.fixture.site).run(.expire, filter, until: Shutdown())
            #expect(result.changed == 40)
            let after = try await site.fixture.commit()[0]
            try await site.withRelay { _ in
                #expect(try await site.comes(to: 1, publishedOf: OperatorFixture.apns))
                #expect(try await site.comes(to: 1, publishedOf: OperatorFixture.fcm))
                let published = try await site.fixture.identifiers(
                    "SELECT p.job_id FROM delivery.due d JOIN delivery.push_outbox p ON p.id = d.entry")
                #expect(published == [after])
                #expect(try await site.fixture.entries("state = 'expired' AND reason = 'operator'") == 40)
                #expect(try await site.fixture.entries("seq > 1") == 0)
            }
        }
    }

    @Test func `resent events reach the broker again`() async throws {
        try await RunningSite.with { site in
            try await site.fixture.admin.execute(
                """
                SELECT delivery.announce('events', 'job.completed', 'job.completed.v1', NULL, '{}', '{"version": 1}', 3::smallint)
                """)
            try await site.withRelay { _ in
                let sent = try await eventually(within: .seconds(30)) { try await site.fixture.due("route = 0") == 0 }
                let resend = Resend(site.fixture.site, since: Timestamp(microseconds: 0))
                let result = try await resend.run(until: Shutdown())
                let sentAgain = try await eventually(within: .seconds(30)) {
                    try await site.fixture.due("route = 0") == 0
                }
                #expect(sent && result.changed == 1 && sentAgain)
                // The consumer holds the first unacknowledged; the second waits behind it.
                let waits = try await eventually(within: .seconds(30)) {
                    await site.ask(["coordinator.events"])["coordinator.events"].counts?.ready == 1
                }
                #expect(waits)
            }
        }
    }
}
