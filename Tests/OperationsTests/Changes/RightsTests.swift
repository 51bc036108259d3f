import Delivery
import Postgres
import TestSupport
import Testing

@testable import Operations

/// What an operator's role may do, and what no other role may.
@Suite(.serialized, .timeLimit(.minutes(5)))
struct RightsTests {
    private static let calls = [
        "delivery.begin_change('a', 'b', 'c', '{}')",
        "delivery.preview_change('retry-now', '{}')", "delivery.retry_now(1, '{}', 0, 1)",
        "delivery.release_leases(1, '{}', 0, 1)", "delivery.expire_committed(1, '{\"before\": \"now\"}', 0, 1)",
        "delivery.preview_resend(now())", "delivery.resend_events(1, now(), now(), NULL, NULL, 1)",
        "delivery.resend_fanouts(1, now(), now(), NULL, NULL, 1)", "delivery.switch_route('a', 1::smallint, true, 'b')",
        "delivery.end_change(1, 'done')",
    ]

    private func refusal(_ sql: String, as role: String, _ fixture: OperatorFixture) async throws -> String? {
        let connection = try await Connection.open(try fixture.scratch.settings(as: role))
        var state: String?
        do throws(PostgresError) {
            try await connection.execute("SELECT \(unescaped: sql)")
        } catch {
            state = error.sqlState
        }
        await connection.close()
        return state
    }

    @Test(arguments: ["md_relay", "md_recorder", "md_coordinator", "md_gateway", "md_producer"])
    func `no service may do an operator's work`(_ role: String) async throws {
        try await OperatorFixture.with { fixture in
            for call in Self.calls {
                let state = try await refusal(call, as: role, fixture)
                #expect(state == "42501", "\(role): \(call)")
            }
        }
    }

    @Test func `an operator may, but only with a line in the audit`() async throws {
        try await OperatorFixture.with { fixture in
            for call in Self.calls {
                let state = try await refusal(call, as: "md_operator", fixture)
                #expect(state == nil, "\(call)")
            }
            try await fixture.admin.execute("DELETE FROM delivery.audit")
            for call in Self.calls where call.contains("(1, ") && !call.contains("end_change") {
                #expect(try await refusal(call, as: "md_operator", fixture) == "MD009", "\(call)")
            }
        }
    }

    @Test(arguments: [
        "FROM delivery.due FOR UPDATE", "sealed FROM delivery.push_token", "sealed_key FROM delivery.job_device",
        "body FROM delivery.job_body", "ciphertext FROM delivery.downstream_ciphertext",
        "body FROM delivery.event_outbox",
        "signing_key FROM delivery.device", "delivery.add_to_change(1, 'rows', 1)",
        "delivery.matching_due('expire', '{}', 0, 1)", "delivery.take_census('0')",
    ])
    func `an operator sees no secret and touches no row`(_ sql: String) async throws {
        try await OperatorFixture.with { fixture in
            let state = try await refusal(sql, as: "md_operator", fixture)
            #expect(state == "42501")
        }
    }

    @Test func `an operator cannot rewrite the audit`() async throws {
        try await OperatorFixture.with { fixture in
            for sql in [
                "DELETE FROM delivery.audit", "UPDATE delivery.audit SET actor = 'nobody'",
                "INSERT INTO delivery.audit (actor, action, subject) VALUES ('a', 'b', 'c')",
            ] {
                let error = await #expect(throws: PostgresError.self) {
                    try await fixture.database.execute("\(unescaped: sql)")
                }
                #expect(error?.kind == .missingRight)
            }
        }
    }

    @Test(arguments: ["md_relay", "md_operator"])
    func `relay and operator may see the sizes`(_ role: String) async throws {
        try await OperatorFixture.with { fixture in
            for call in [
                "outbox_sizes('0')", "outbox_deferrals()", "outbox_leases()", "outbox_health()", "open_dead_letters()",
            ] {
                let state = try await refusal("* FROM delivery.\(call)", as: role, fixture)
                #expect(state == nil, "\(call)")
            }
            let other = try await refusal("* FROM delivery.outbox_sizes('0')", as: "md_gateway", fixture)
            #expect(other == "42501")
        }
    }
}
