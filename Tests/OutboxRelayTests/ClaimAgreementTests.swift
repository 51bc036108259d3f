import Postgres
import TestSupport
import Testing

@testable import OutboxRelay

/// `claim_hints` leases what is plainly in order by a quick statement and judges the rest by another. The quick one may
/// take only what the other would publish, with the same message.
@Suite(.timeLimit(.minutes(2)))
struct ClaimAgreementTests {
    private static let token = "UPDATE delivery.push_token SET"
    private static let otherToken = """
        INSERT INTO delivery.push_token (device_id, provider, app, environment, kind, sealed, sealing_key_id, fingerprint,
                                         fingerprint_key_id, registration, state, registered_at)
        SELECT device_id, 'fcm', app, '', 'token', '\\x0909', 'k2', sha256('other'), 'f1', 2,
        """

    @Test(arguments: [
        "SELECT 1",
        "UPDATE delivery.due SET seq = 4, life = 2, failures = 3, disputes = 1, last_error = 'APNs 503'",
        "UPDATE delivery.due SET crashes = 7", "UPDATE delivery.due SET crashes = 8",
        "UPDATE delivery.due SET silences = 9", "UPDATE delivery.due SET silences = 10",
        "UPDATE delivery.push_outbox SET state = 'accepted'", "DELETE FROM delivery.push_outbox",
        "DELETE FROM delivery.generation_job",
        "UPDATE delivery.generation_job SET traceparent = '00-1'",
        "UPDATE delivery.generation_job SET completed_at = now()",
        "UPDATE delivery.generation_job SET cancelled_at = now()",
        "UPDATE delivery.generation_job SET expired_at = now()",
        "UPDATE delivery.generation_job SET expires_at = now()",
        "UPDATE delivery.generation_job SET expires_at = now() + interval '1 microsecond'",
        "DELETE FROM delivery.job_device", "UPDATE delivery.job_device SET state = 'acknowledged'",
        "UPDATE delivery.job_device SET state = 'failed'", "UPDATE delivery.job_device SET state = 'expired'",
        "UPDATE delivery.job_device SET state = 'cancelled'", "UPDATE delivery.job_device SET state = 'revoked'",
        "UPDATE delivery.job_device SET claimed_at = now()",
        "UPDATE delivery.device SET state = 'revoked', revoked_at = now()", "DELETE FROM delivery.push_token",
        "\(token) state = 'cleared'", "\(token) state = 'replaced'", "\(token) state = 'detached'",
        "\(token) state = 'set_aside'", "\(token) state = 'set_aside', trial_until = now() + interval '1 minute'",
        "\(token) state = 'set_aside', trial_until = now()",
        "\(token) state = 'set_aside', not_before = now() + interval '1 minute', trial_until = now() + interval '1 minute'",
        "\(token) not_before = now()", "\(token) not_before = now() + interval '1 microsecond'",
        "\(token) environment = 'sandbox'", "\(token) provider = 'fcm', environment = ''", "\(token) app = 'unknown'",
        "\(otherToken) 'active', registered_at + interval '1 minute' FROM delivery.push_token",
        "\(otherToken) 'active', registered_at - interval '1 minute' FROM delivery.push_token",
        "\(otherToken) 'set_aside', registered_at + interval '1 minute' FROM delivery.push_token",
        "\(otherToken) 'active', registered_at - interval '1 minute' FROM delivery.push_token; \(token) state = 'set_aside' WHERE provider = 'apns'",
    ])
    func `the quick statement and the judging one say the same of a row`(_ change: String) async throws {
        try await OutboxFixture.with { outbox in
            try await outbox.commit()
            // One transaction, so that both have the same clock.
            try await outbox.admin.transaction { transaction in
                // Rows may go that others lean on.
                try await transaction.execute("SET LOCAL session_replication_role = replica")
                for statement in change.split(separator: ";") {
                    try await transaction.execute("\(unescaped: String(statement))")
                }
                try await transaction.execute("SAVEPOINT changed")
                let quick = try await claimed(outbox, transaction)
                try await transaction.execute("ROLLBACK TO changed")
                try await judgeEverything(transaction)
                let judged = try await claimed(outbox, transaction)
                #expect(quick == judged, "\(change)")
            }
        }
    }

    /// The claim's answer and what it left in `due`, as text.
    private func claimed(_ outbox: OutboxFixture, _ transaction: Transaction) async throws -> String {
        // The token of a claim is a number that nobody minds.
        try await transaction.execute("SELECT setval('delivery.lease_token', 1000)")
        let row = try await transaction.query(
            """
            SELECT coalesce(string_agg(to_jsonb(c)::text, ' '), 'nothing') AS text
              FROM delivery.claim_hints(
                \(outbox.apns.number), 10, \(OutboxFixture.noFloors.map(Timestamp.init(microseconds:))),
                '00000000-0000-4000-8000-000000000001', interval '1 minute', '-infinity', 'infinity', '-infinity',
                8, 10) c
            """
        ).one()
        let left = try await transaction.query(
            "SELECT coalesce(string_agg(to_jsonb(d)::text, ' '), 'nothing') AS text FROM delivery.due d"
        ).one()
        return "\(try row["text"] as String) left \(try left["text"] as String)"
    }

    /// The quick statement finds nothing any more.
    private func judgeEverything(_ transaction: Transaction) async throws {
        let whole: String = try await transaction.query(
            "SELECT pg_get_functiondef('delivery.claim_hints'::regproc) AS text"
        ).one()["text"]
        let condition = "d.id = ANY (ids) AND d.lease_token IS NULL"
        #expect(whole.split(separator: condition).count == 2)
        let parts = whole.split(separator: condition)
        try await transaction.execute("\(unescaped: parts.joined(separator: "false AND \(condition)"))")
    }
}
