import Cryptography
import Delivery
import Messages
import Postgres
import Storage
import TestSupport

/// The lease functions with short names, for tests.
extension World {
    struct Grant: Equatable {
        var outcome: String
        var epoch: Int64?
        var nonce: Identifier?
        var milliseconds: Int64?
    }

    func acquire(
        _ phone: Phone, _ job: Identifier, attempt: Identifier = .random(), ttl: Duration = .seconds(90),
        hard: Duration = .seconds(900), coolDown: Duration = .seconds(60)
    ) async throws -> Grant {
        let row = try await gateway.query(
            """
            SELECT * FROM delivery.acquire_lease(\(phone.id), \(job), \(attempt), \(ttl), \(hard), \(coolDown),
                \(Duration.seconds(3_600)))
            """
        ).one()
        return Grant(
            outcome: try row["outcome"], epoch: try row["epoch"], nonce: try row["nonce"],
            milliseconds: try row["milliseconds"])
    }

    func renew(_ phone: Phone, _ job: Identifier, _ grant: Grant, ttl: Duration = .seconds(90)) async throws -> Grant {
        let row = try await gateway.query(
            """
            SELECT * FROM delivery.renew_lease(\(phone.id), \(job), \(grant.epoch ?? 0), \(grant.nonce ?? .random()),
                \(ttl))
            """
        ).one()
        return Grant(
            outcome: try row["outcome"], epoch: try row["epoch"], nonce: nil, milliseconds: try row["milliseconds"])
    }

    func release(_ phone: Phone, _ job: Identifier, _ grant: Grant) async throws -> String {
        try await gateway.query(
            """
            SELECT outcome FROM delivery.release_lease(\(phone.id), \(job), \(grant.epoch ?? 0),
                \(grant.nonce ?? .random()))
            """
        ).one()["outcome"]
    }

    func submit(
        _ phone: Phone, _ job: Identifier, _ grant: Grant, text: String = "x", recipients: [String] = ["shop"],
        acceptLate: Bool = true
    ) async throws -> String {
        let ciphertexts = recipients.map { _ in Array(text.utf8) }
        let digest = Digest.blake2b(Array(text.utf8))
        return try await gateway.query(
            """
            SELECT outcome FROM delivery.submit_fanout(\(phone.id), \(job), \(grant.epoch ?? 0),
                \(grant.nonce ?? .random()), \(digest), \(recipients), \(ciphertexts), \(Duration.seconds(90)),
                \(acceptLate))
            """
        ).one()["outcome"]
    }

    /// Turns the lease's clock forward.
    func expire(_ job: Identifier, hard: Bool = false) async throws {
        try await administrator.execute(
            """
            UPDATE delivery.fanout_lease SET expires_at = clock_timestamp() - interval '1 second',
                   hard_deadline = CASE WHEN \(hard) THEN clock_timestamp() - interval '1 second' ELSE hard_deadline END
             WHERE job_id = \(job)
            """)
    }

    func events(_ job: Identifier) async throws -> [String] {
        try await administrator.query(
            "SELECT kind || ' ' || epoch AS event FROM delivery.lease_event WHERE job_id = \(job) ORDER BY event_id"
        ).map { try $0["event"] }
    }

    /// A job with claimed assignments, and who they are.
    func elected(_ count: Int) async throws -> (phones: [Phone], job: Identifier) {
        var phones: [Phone] = []
        for _ in 0..<count { phones.append(try await enrol()) }
        let job = try await commit()
        for phone in phones { try await claim(phone, job) }
        return (phones, job)
    }

    func count(_ statement: Statement) async throws -> Int64 {
        try await administrator.query(statement).one().only(as: Int64.self)
    }

    /// Whether a call of that function comes to wait for a lock.
    func waits(for function: String) async throws -> Bool {
        try await eventually {
            try await count(
                """
                SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'
                   AND query LIKE \("%\(function)%")
                """) == 1
        }
    }
}
