import Daemon
import Delivery
import Postgres
import TestSupport
import Testing

@testable import Operations

/// `token lift` and `token clear`.
@Suite(.timeLimit(.minutes(2)))
struct TokenRulingTests {
    /// One job on two APNs devices and two of FCM; every APNs token was called bad.
    private func withSuspects(_ body: (OperatorFixture, TokenRuling) async throws -> Void) async throws {
        try await OperatorFixture.with(devices: 4) { fixture in
            try await fixture.commit()
            try await fixture.admin.execute(
                """
                UPDATE delivery.push_token SET state = 'set_aside', state_reason = 'BadDeviceToken', suspected_at = now(),
                       suspected_by = 'sender', judge_at = now() + interval '1 hour' WHERE provider = 'apns'
                """)
            try await fixture.admin.execute(
                """
                UPDATE delivery.due d SET due_at = now() + interval '1 hour',
                       last_error = 'token_suspect:' || encode(t.fingerprint, 'hex')
                  FROM delivery.push_outbox p JOIN delivery.push_token t USING (device_id)
                 WHERE p.id = d.entry AND t.provider = 'apns'
                """)
            try await body(fixture, TokenRuling(fixture.database, actor: "anna@test"))
        }
    }

    private func states(_ fixture: OperatorFixture) async throws -> [String] {
        try await fixture.admin.query(
            "SELECT provider || ' ' || state || ' ' || count(*) AS line FROM delivery.push_token GROUP BY provider, state ORDER BY 1"
        ).map { row in try row["line"] }
    }

    @Test func `a look counts and changes nothing`() async throws {
        try await withSuspects { (fixture, ruling) async throws in
            #expect(
                try await ruling.preview("apns.production.cheqi") == [.init(route: "apns.production.cheqi", tokens: 2)])
            #expect(try await ruling.preview("all").map(\.tokens) == [2, 0])
            #expect(try await states(fixture) == ["apns set_aside 2", "fcm active 2"])
            #expect(try await fixture.audit().isEmpty)
        }
    }

    @Test func `lifted tokens are in use and what waits for them is due`() async throws {
        try await withSuspects { (fixture, ruling) async throws in
            #expect(try await fixture.due("route = 1 AND due_at <= now()") == 0)
            let lifted = try await ruling.rule(.lift, "apns.production.cheqi", reason: "wrong environment, mended")
            #expect(lifted == [.init(route: "apns.production.cheqi", tokens: 2)])
            #expect(try await states(fixture) == ["apns active 2", "fcm active 2"])
            #expect(try await fixture.due("route = 1 AND due_at <= now()") == 2)
        }
    }

    @Test func `cleared tokens are out of use, their hints fail, and both are announced`() async throws {
        try await withSuspects { (fixture, ruling) async throws in
            #expect(try await ruling.rule(.clear, "all", reason: "dead").map(\.tokens) == [2, 0])
            #expect(try await states(fixture) == ["apns cleared 2", "fcm active 2"])
            #expect(try await fixture.entries("state = 'failed' AND reason = 'token'") == 2)
            let types: [String] = try await fixture.admin.query(
                "SELECT DISTINCT type FROM delivery.event_outbox ORDER BY 1"
            ).map { row in try row["type"] }
            #expect(Set(types).isSuperset(of: ["hint.dead.v1", "token.cleared.v1"]))
        }
    }

    @Test func `a cleared token with a newer one beside it leaves the hint alive`() async throws {
        try await withSuspects { (fixture, ruling) async throws in
            let device = fixture.account.devices[0]
            try await fixture.account.addToken(to: device, route: OperatorFixture.fcm, in: fixture.admin)
            _ = try await ruling.rule(.clear, "apns.production.cheqi", reason: "dead")
            #expect(try await fixture.entries("state = 'failed'") == 1)
            #expect(try await fixture.entries("state = 'pending' AND device_id = '\(device)'") == 1)
        }
    }

    @Test func `every ruling is in the audit, also one that found nothing`() async throws {
        try await withSuspects { (fixture, ruling) async throws in
            for _ in 0..<2 { _ = try await ruling.rule(.lift, "apns.production.cheqi", reason: "mended") }
            #expect(
                try await fixture.audit() == [
                    "anna@test token lift apns.production.cheqi done",
                    "anna@test token lift apns.production.cheqi unchanged",
                ])
        }
    }

    @Test func `an unknown route is one line`() async throws {
        try await OperatorFixture.with { fixture in
            let failure = await #expect(throws: CommandFailure.self) {
                try await TokenRuling(fixture.database, actor: "a").rule(.lift, "apns.cheqi", reason: "b")
            }
            #expect(failure?.status == .dataError)
        }
    }
}
