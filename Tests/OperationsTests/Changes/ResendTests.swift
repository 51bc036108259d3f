import Daemon
import Delivery
import Postgres
import TestSupport
import Testing

@testable import Operations

@Suite(.serialized, .timeLimit(.minutes(5)))
struct ResendTests {
    private func announce(_ exchange: String, about message: Identifier? = nil, _ fixture: OperatorFixture) async throws
        -> Identifier
    {
        try await fixture.admin.query(
            """
            SELECT delivery.announce(\(exchange), 'job.completed', 'job.completed.v1', nullif(\(message?.description ?? ""), '')::uuid,
                                     '{}', '{"version": 1}', 3::smallint) AS id
            """
        ).one()["id"]
    }

    private func now(_ fixture: OperatorFixture) async throws -> Timestamp {
        try await fixture.admin.query("SELECT clock_timestamp() AS t").one()["t"]
    }

    @Test func `events since then are due once more under their ids, whatever their number`() async throws {
        try await OperatorFixture.with { fixture in
            _ = try await announce("events", fixture)
            try await fixture.admin.execute("DELETE FROM delivery.due")
            let since = try await now(fixture)
            var ids: [Identifier] = []
            for _ in 0..<7 { ids.append(try await announce("events", fixture)) }
            // The last still waits for its first publish.
            try await fixture.admin.execute("DELETE FROM delivery.due WHERE entry <> \(ids[6])")
            let resend = Resend(fixture.site, since: since)
            #expect(try await resend.preview() == Resend.Preview(events: 6, deadLetters: 0, fanouts: 0))
            #expect(try await resend.run(until: Shutdown()).changed == 6)
            #expect(try await resend.run(until: Shutdown()).changed == 0)
            let due = try await fixture.identifiers("SELECT entry FROM delivery.due WHERE route = 0")
            #expect(due == Set(ids))
            #expect(try await fixture.audit().first?.hasPrefix("anna@test outbox resend since ") == true)
        }
    }

    @Test func `dead letters of hints that live again stay away`() async throws {
        try await OperatorFixture.with { fixture in
            try await fixture.commit()
            let since = Timestamp(microseconds: 0)
            let alive: Identifier = try await fixture.admin.query(
                "SELECT entry FROM delivery.due WHERE route > 0 LIMIT 1"
            ).one()["entry"]
            _ = try await announce("dead", about: alive, fixture)
            let dead = try await announce("dead", about: .random(), fixture)
            try await fixture.admin.execute("DELETE FROM delivery.due WHERE route = 0")
            #expect(try await Resend(fixture.site, since: since).preview().deadLetters == 1)
            #expect(try await Resend(fixture.site, since: since).run(until: Shutdown()).changed == 1)
            #expect(try await fixture.due("route = 0 AND entry = '\(dead)'") == 1)
        }
    }

    @Test func `fan-outs that were finished are asked for again while their ciphertexts are there`() async throws {
        try await OperatorFixture.with { fixture in
            let jobs = try await fixture.commit(5)
            for (index, job) in jobs.enumerated() {
                try await fixture.admin.execute(
                    """
                    INSERT INTO delivery.downstream_submission (job_id, device_id, epoch, digest, fanned_out_at, purged_at)
                    VALUES (\(job), \(fixture.account.devices[0]), 1, \([UInt8](repeating: 1, count: 32)),
                            now() - make_interval(hours => \(Int32(index))), CASE WHEN \(index == 1) THEN now() END)
                    """)
            }
            let since = try await now(fixture) + .seconds(-3 * 3600 - 60)
            let resend = Resend(fixture.site, since: since)
            #expect(try await resend.preview().fanouts == 3)
            #expect(try await resend.run(until: Shutdown()).changed == 3)
            let asked = try await fixture.identifiers(
                "SELECT job_id FROM delivery.downstream_submission WHERE resend_at IS NOT NULL")
            #expect(asked == [jobs[0], jobs[2], jobs[3]])
            #expect(try await resend.run(until: Shutdown()).changed == 0)
        }
    }
}
