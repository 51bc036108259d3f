import Delivery
import Messages
import Postgres
import Testing

@testable import AckRecorder

@Suite(.timeLimit(.minutes(2)))
struct ChargedOutcomeTests {
    @Test(arguments: [OutcomeKind.deferred, .ambiguous])
    func `it charges one failure and the entry waits without a lease`(kind: OutcomeKind) async throws {
        try await Scene.with { scene in
            let job = try await scene.publishedJob()
            try await scene.record(
                scene.outcome(kind, job) {
                    $0.status = 503
                    $0.reason = "ServiceUnavailable"
                    $0.retryAfter = 100
                })
            let entry = try await scene.entry(job)
            #expect(entry.state == "pending")
            #expect(entry.failures == 1)
            #expect(!entry.hasLease)
            #expect(entry.lastError == "\(kind.rawValue) 503 ServiceUnavailable")
            #expect(entry.wait! > .seconds(90) && entry.wait! <= .seconds(100))
        }
    }

    @Test func `the wait follows the failures before it`() async throws {
        try await Scene.with { scene in
            let job = try await scene.publishedJob()
            try await scene.world.execute("UPDATE delivery.due SET failures = 7")
            let recording = scene.outcomeRecording
            var columns = RefusedColumns()
            let outcome = try await scene.outcome(.deferred, job)
            columns.append(
                outcome, of: OutcomeBatch(instance: "a", route: scene.route, outcomes: [outcome]), on: 1,
                recording.configuration
            ) { 1 }
            _ = try await scene.recorder.query(columns.statement(recording.configuration))
            let entry = try await scene.entry(job)
            #expect(entry.wait! > .seconds(250) && entry.wait! <= .seconds(256))
        }
    }

    @Test func `another seq changes nothing`() async throws {
        try await Scene.with { scene in
            let job = try await scene.publishedJob()
            let old = try await scene.outcome(.deferred, job)
            try await scene.publish(job)
            try await scene.record(old)
            let entry = try await scene.entry(job)
            #expect(entry.failures == 0)
            #expect(entry.hasLease)
        }
    }

    @Test func `the same outcome again charges nothing`() async throws {
        try await Scene.with { scene in
            let job = try await scene.publishedJob()
            let outcome = try await scene.outcome(.deferred, job)
            try await scene.record([outcome, outcome])
            try await scene.record(outcome)
            #expect(try await scene.entry(job).failures == 1)
        }
    }

    @Test func `an entry is never due after its job's expiry`() async throws {
        try await Scene.with { scene in
            let job = try await scene.publishedJob()
            try await scene.world.execute(
                "UPDATE delivery.generation_job SET expires_at = now() + interval '30 seconds'")
            try await scene.record(scene.outcome(.deferred, job) { $0.retryAfter = 3600 })
            #expect(try await scene.entry(job).wait! <= .seconds(30))
        }
    }

    @Test func `a deferral of the device cools its token down`() async throws {
        try await Scene.with { scene in
            let job = try await scene.publishedJob()
            try await scene.record(
                scene.outcome(.deferred, job) {
                    $0.status = 429
                    $0.reason = "TooManyRequests"
                    $0.scope = .device
                })
            let wait: Duration = try await scene.world.query(
                "SELECT not_before - now() AS wait FROM delivery.push_token"
            ).one()["wait"]
            #expect(wait > .seconds(110) && wait <= .seconds(120))
        }
    }

    @Test func `a deferral of a token that was replaced cools nothing down`() async throws {
        try await Scene.with { scene in
            let job = try await scene.publishedJob()
            let outcome = try await scene.outcome(.deferred, job) {
                $0.retryAfter = 100
                $0.scope = .device
            }
            try await scene.registerAnew(scene.device)
            try await scene.record(outcome)
            let cooled: Int = try await scene.world.query(
                "SELECT count(*) AS n FROM delivery.push_token WHERE not_before IS NOT NULL"
            ).one()["n"]
            #expect(cooled == 0)
        }
    }

    @Test(arguments: [
        (19, 25, true), (18, 25, false), (19, 23, false), (500, 23, false), (500, 25, true), (0, 1000, false),
    ])
    func `the budget is twenty failures or a day after the first, whichever is later (fault 40)`(
        before: Int, hours: Int, isExhausted: Bool
    ) async throws {
        try await Scene.with { scene in
            let job = try await scene.publishedJob()
            try await scene.world.execute(
                """
                UPDATE delivery.due
                   SET failures = \(before), first_failed_at = now() - \(Duration.seconds(hours * 3600))
                """)
            try await scene.record(scene.outcome(.ambiguous, job) { $0.reason = "timeout" })
            let entry = try await scene.entry(job)
            #expect(entry.failures == before + 1)
            #expect(entry.state == (isExhausted ? "failed" : "pending"))
            #expect(entry.reason == (isExhausted ? "exhausted" : nil))
            #expect(try await scene.events("hint.dead.v1").count == (isExhausted ? 1 : 0))
        }
    }
}
