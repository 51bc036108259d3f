import Daemon
import Delivery
import Operations
import Postgres
import TestSupport
import Testing

@testable import DeadLetters

/// `dead replay` against the database's own functions.
@Suite(.timeLimit(.minutes(2))) struct ReplayTests {
    @Test func `a replayed hint is due again with a new life, its counters at zero and its seq going on`() async throws
    {
        try await DeadLetterFixture.with { fixture in
            try await fixture.fail(2)
            #expect(try await fixture.count("delivery.dead_letter WHERE state = 'open'") == 4)
            let result = try await fixture.replay()
            #expect(result.replayed == 4 && result.skipped == 0)
            #expect(
                try await fixture.count(
                    "delivery.due WHERE seq = 1 AND life = 2 AND failures = 0 AND due_at <= now() AND route > 0") == 4)
            #expect(try await fixture.count("delivery.push_outbox WHERE state = 'pending' AND life = 2") == 4)
            #expect(try await fixture.count("delivery.dead_letter WHERE state = 'replayed'") == 4)
            #expect(try await fixture.audit() == ["anna@test dead replay all: mended done 4"])
        }
    }

    @Test func `run twice it does nothing twice`() async throws {
        try await DeadLetterFixture.with { fixture in
            try await fixture.fail(1)
            #expect(try await fixture.replay().replayed == 2)
            #expect(try await fixture.replay() == DeadLetterRun.Result(audit: 2))
            #expect(try await fixture.count("delivery.due WHERE route > 0") == 2)
        }
    }

    @Test func `two copies of one dead letter re-arm its hint once`() async throws {
        try await DeadLetterFixture.with { fixture in
            try await fixture.fail(1)
            try await fixture.index(queue: "parking")
            #expect(try await fixture.count("delivery.dead_letter WHERE state = 'open'") == 4)
            let result = try await fixture.replay()
            #expect(result.replayed == 2 && result.skipped == 2)
            #expect(try await fixture.count("delivery.due WHERE route > 0 AND life = 2") == 2)
            #expect(try await fixture.count("delivery.dead_letter WHERE state = 'open'") == 0)
        }
    }

    @Test func `a hint that failed again is another letter, which can be replayed too`() async throws {
        try await DeadLetterFixture.with { fixture in
            try await fixture.fail(1)
            _ = try await fixture.replay()
            try await fixture.failAll("exhausted")
            #expect(try await fixture.count("delivery.dead_letter WHERE state = 'open' AND seq = 2") == 2)
            #expect(try await fixture.replay().replayed == 2)
            #expect(try await fixture.count("delivery.due WHERE route > 0 AND seq = 2 AND life = 3") == 2)
        }
    }

    struct Skip: Sendable, CustomTestStringConvertible {
        let verdict: ReplayVerdict
        let happened: String
        var testDescription: String { verdict.rawValue }
    }

    static let skips = [
        Skip(
            verdict: .acknowledged,
            happened: "UPDATE delivery.job_device SET state = 'acknowledged', finished_at = now()"),
        Skip(
            verdict: .expired, happened: "UPDATE delivery.generation_job SET expires_at = now() - interval '1 second'"),
        Skip(verdict: .cancelled, happened: "UPDATE delivery.generation_job SET cancelled_at = now()"),
        Skip(verdict: .revoked, happened: "UPDATE delivery.device SET state = 'revoked', revoked_at = now()"),
        Skip(verdict: .noToken, happened: "UPDATE delivery.push_token SET state = 'cleared'"),
    ]

    @Test(arguments: skips)
    func `is skipped, stays open and says why`(skip: Skip) async throws {
        try await DeadLetterFixture.with { fixture in
            try await fixture.fail(1)
            try await fixture.admin.execute("\(unescaped: skip.happened)")
            #expect(try await fixture.run.preview(DeadLetterFilter()).verdicts == [skip.verdict: 2])
            #expect(try await fixture.replay().verdicts == [skip.verdict: 2])
            #expect(try await fixture.count("delivery.due WHERE route > 0") == 0)
            #expect(try await fixture.count("delivery.dead_letter WHERE state = 'open'") == 2)
            #expect(try await fixture.index.page(DeadLetterFilter(), atMost: 1).first?.verdict == skip.verdict)
        }
    }

    @Test func `a device that registered anew is rung by its token of today`() async throws {
        try await DeadLetterFixture.with { fixture in
            try await fixture.fail(1)
            try await fixture.admin.execute("UPDATE delivery.push_token SET state = 'cleared'")
            for device in fixture.account.devices {
                try await fixture.account.addToken(to: device, route: DeadLetterFixture.fcm, in: fixture.admin)
            }
            #expect(try await fixture.replay().replayed == 2)
            #expect(
                try await fixture.count(
                    "delivery.due d JOIN delivery.route_state r USING (route) WHERE r.provider = 'fcm'") == 2)
        }
    }

    @Test func `what the life before answers late changes nothing`() async throws {
        try await DeadLetterFixture.with { fixture in
            try await fixture.fail(1)
            _ = try await fixture.replay()
            // An acceptance of life 1, as a sender may still report it.
            try await fixture.admin.execute(
                """
                SELECT delivery.record_accepted(
                           ARRAY[d.route], ARRAY['sender'], ARRAY[d.entry], ARRAY[1], ARRAY[p.device_id],
                           ARRAY[t.fingerprint], ARRAY[delivery.milliseconds(t.registered_at)], ARRAY['id'], ARRAY[false],
                           interval '1 minute')
                  FROM delivery.due d JOIN delivery.push_outbox p ON p.id = d.entry
                  JOIN delivery.push_token t USING (device_id) WHERE d.route > 0
                """)
            #expect(try await fixture.count("delivery.push_outbox WHERE state = 'pending'") == 2)
        }
    }

    @Test func `an interrupted run says so and the next one does the rest`() async throws {
        try await DeadLetterFixture.with { fixture in
            try await fixture.fail(4)
            let stop = Shutdown()
            let first = try await fixture.run.run(
                .replay, DeadLetterFilter(), reason: nil, rate: nil, until: stop, progress: { _ in stop.request() })
            #expect(first.isInterrupted && first.replayed == 3)
            #expect(try await fixture.replay().replayed == 5)
            #expect(
                try await fixture.audit() == [
                    "anna@test dead replay all interrupted 3", "anna@test dead replay all: mended done 5",
                ])
        }
    }

    @Test func `discarded letters are closed and their hints stay as they ended`() async throws {
        try await DeadLetterFixture.with { fixture in
            try await fixture.fail(1)
            let result = try await fixture.run.run(
                .discard, DeadLetterFilter(), reason: "test devices", rate: nil, until: Shutdown())
            #expect(result.discarded == 2)
            #expect(try await fixture.count("delivery.dead_letter WHERE state = 'discarded'") == 2)
            #expect(try await fixture.replay().replayed == 0)
            let history = try await DeadLetterHistory.read(from: fixture.database, atMost: 10)
            #expect(history.lines.map(\.action) == ["dead replay", "dead discard"])
            #expect(history.text().contains("anna@test  dead discard all: test devices: done, 2 letters"))
        }
    }
}
