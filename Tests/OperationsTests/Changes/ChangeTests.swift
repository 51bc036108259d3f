import Daemon
import Delivery
import Postgres
import TestSupport
import Testing

@testable import Operations

/// Changes of due rows against a real database, as `md_operator`, in batches of three.
@Suite(.serialized, .timeLimit(.minutes(5)))
struct ChangeTests {
    private func filter(_ change: (inout DueFilter) -> Void = { _ in }) -> DueFilter {
        var filter = DueFilter()
        change(&filter)
        return filter
    }

    private func run(_ kind: ChangeKind, _ filter: DueFilter, _ fixture: OperatorFixture) async throws -> ChangeResult {
        try await ChangeRun(fixture.site).run(kind, filter, until: Shutdown())
    }

    @Test func `retry-now makes deferred hints due, whatever their number, and leaves one line in the audit`()
        async throws
    {
        try await OperatorFixture.with { fixture in
            try await fixture.commit(10)
            try await fixture.deferAll("deferred 503 ServiceUnavailable")
            try await fixture.leaseAll(confirmed: true, where: "id = (SELECT min(id) FROM delivery.due)")
            let result = try await run(.retryNow, filter(), fixture)
            #expect(result.changed == 19 && !result.isInterrupted)
            #expect(try await fixture.due("due_at <= now() AND lease_token IS NULL") == 19)
            #expect(try await fixture.audit() == ["anna@test outbox retry-now all done 19"])
            #expect(try await run(.retryNow, filter(), fixture).changed == 0)
        }
    }

    @Test(arguments: ["route", "app", "environment", "device", "account", "job", "entry", "reason", "older"])
    func `each filter narrows it, in the look as in the change`(_ name: String) async throws {
        try await OperatorFixture.with { fixture in
            let jobs = try await fixture.commit(2)
            let other = try await SampleAccount.make("account-2", devices: 1, in: fixture.admin)
            try await other.addToken(to: other.devices[0], route: OperatorFixture.apns, in: fixture.admin)
            try await other.commit(in: fixture.admin)
            try await fixture.deferAll("deferred 503 ServiceUnavailable")
            try await fixture.deferAll(
                "ambiguous timeout", where: "id = (SELECT max(id) FROM delivery.due WHERE route = 2)")
            let entry: Identifier = try await fixture.admin.query(
                "SELECT entry FROM delivery.due ORDER BY id LIMIT 1"
            ).one()["entry"]
            try await fixture.admin.execute(
                "UPDATE delivery.due SET created_at = created_at - interval '1 h' WHERE entry = \(entry)")
            let (narrow, expected): (DueFilter, Int) =
                switch name {
                case "route": (filter { $0.route = "fcm.cheqi" }, 2)
                case "app": (filter { $0.app = "cheqi" }, 5)
                case "environment": (filter { $0.environment = "production" }, 3)
                case "device": (filter { $0.device = fixture.account.devices[0] }, 2)
                case "account": (filter { $0.account = "account-2" }, 1)
                case "job": (filter { $0.job = jobs[1] }, 2)
                case "entry": (filter { $0.entry = entry }, 1)
                case "reason": (filter { $0.reason = "ambiguous" }, 1)
                default: (filter { $0.olderThan = .seconds(1800) }, 1)
                }
            let preview = try await fixture.site.preview(.retryNow, narrow)
            #expect(preview.rows == expected)
            #expect(try await run(.retryNow, narrow, fixture).changed == expected)
            #expect(try await fixture.due("due_at <= now()") == expected)
        }
    }

    @Test func `a dry run changes nothing and leaves no line`() async throws {
        try await OperatorFixture.with { fixture in
            try await fixture.commit(2)
            try await fixture.deferAll("deferred 503 ServiceUnavailable")
            let preview = try await fixture.site.preview(.retryNow, filter())
            #expect(
                preview.text(filter(), style: .plain) == """
                    hints                                                   rows  oldest
                    apns.production.cheqi: deferred 503 ServiceUnavailable     2      0s
                    fcm.cheqi: deferred 503 ServiceUnavailable                 2      0s
                    would make 4 hints due now

                    """)
            #expect(try await fixture.due("due_at > now()") == 4)
            #expect(try await fixture.audit() == [])
        }
    }

    @Test func `release takes the leases of relays that are gone, and no counter`() async throws {
        try await OperatorFixture.with { fixture in
            try await fixture.commit(3)
            let gone = Identifier.random()
            try await fixture.leaseAll(confirmed: false, owner: gone, where: "route = 1")
            try await fixture.leaseAll(confirmed: true, where: "route = 2")
            #expect(try await run(.release, filter { $0.owner = .random() }, fixture).changed == 0)
            #expect(try await run(.release, filter { $0.owner = gone }, fixture).changed == 3)
            #expect(try await fixture.due("lease_token IS NULL AND due_at <= now() AND crashes = 0 AND seq = 1") == 3)
            #expect(try await run(.release, filter(), fixture).changed == 0)
            #expect(try await run(.release, filter { $0.includesAwaiting = true }, fixture).changed == 3)
            #expect(try await fixture.due("lease_token IS NULL AND published_at IS NULL AND silences = 0") == 6)
        }
    }

    @Test func `expire ends what was committed before, and the job stays open`() async throws {
        try await OperatorFixture.with { fixture in
            try await fixture.commit(4)
            try await fixture.leaseAll(confirmed: true, where: "id % 2 = 0")
            let moment: Timestamp = try await fixture.admin.query("SELECT clock_timestamp() AS t").one()["t"]
            try await fixture.commit(1)
            let result = try await run(.expire, filter { $0.committedBefore = moment }, fixture)
            #expect(result.changed == 8)
            #expect(try await fixture.due() == 2)
            #expect(try await fixture.entries("state = 'expired' AND reason = 'operator'") == 8)
            let open: Int = try await fixture.admin.query(
                "SELECT count(*) AS n FROM delivery.job_device WHERE state = 'pending'"
            ).one()["n"]
            #expect(open == 10)
            #expect(try await run(.expire, filter { $0.committedBefore = moment }, fixture).changed == 0)
        }
    }

    @Test func `expire without an instant is refused by the database itself`() async throws {
        try await OperatorFixture.with { fixture in
            try await fixture.commit()
            await #expect(throws: PostgresError.self) { try await run(.expire, filter(), fixture) }
            #expect(try await fixture.due() == 2)
            #expect(try await fixture.audit().first?.contains("failed: before is missing") == true)
        }
    }

    @Test func `a stop ends it after a batch, says so, and the next run does the rest`() async throws {
        try await OperatorFixture.with { fixture in
            try await fixture.commit(5)
            try await fixture.deferAll("ambiguous timeout")
            let shutdown = Shutdown()
            let first = try await ChangeRun(fixture.site).run(.retryNow, filter(), until: shutdown) { _ in
                shutdown.request()
            }
            #expect(first.changed == 3 && first.isInterrupted)
            #expect(try await run(.retryNow, filter(), fixture).changed == 7)
            let lines = try await fixture.audit()
            #expect(lines == ["anna@test outbox retry-now all interrupted 3", "anna@test outbox retry-now all done 7"])
        }
    }

    @Test func `a run that was killed has its rows in the audit`() async throws {
        try await OperatorFixture.with { fixture in
            try await fixture.commit(5)
            try await fixture.deferAll("ambiguous timeout")
            let change = try await fixture.site.begin("outbox retry-now", subject: "all", filter: "{}")
            _ = try await fixture.site.step(.retryNow, change, filter(), after: 0)
            #expect(try await fixture.audit() == ["anna@test outbox retry-now all running 3"])
        }
    }

    @Test func `what a relay holds at this moment is skipped`() async throws {
        try await OperatorFixture.with { fixture in
            try await fixture.commit(2)
            try await fixture.deferAll("ambiguous timeout")
            let relay = try await Connection.open(try fixture.scratch.settings)
            try await relay.transaction { transaction in
                try await transaction.execute("SELECT FROM delivery.due ORDER BY id LIMIT 1 FOR UPDATE")
                #expect(try await run(.retryNow, filter(), fixture).changed == 3)
            }
            await relay.close()
        }
    }

    @Test func `a route or app that does not exist is called so before anything happens`() async throws {
        try await OperatorFixture.with { fixture in
            for narrow in [filter { $0.route = "fcm.chequi" }, filter { $0.app = "chequi" }] {
                let failure = await #expect(throws: CommandFailure.self) { try await fixture.site.check(narrow) }
                #expect(failure?.line.contains("chequi: `mobile-delivery route list` names them") == true)
            }
        }
    }
}
