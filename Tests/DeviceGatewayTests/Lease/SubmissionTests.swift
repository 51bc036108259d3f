import Delivery
import Postgres
import Storage
import Testing

/// I-13 and b.2.4: late submissions are accepted if and only if nobody else was elected.
@Suite(.serialized, .timeLimit(.minutes(2))) struct SubmissionTests {
    @Test func `a submission, its ciphertexts and its event are one transaction`() async throws {
        try await withWorld { world in
            let (phones, job) = try await world.elected(1)
            let grant = try await world.acquire(phones[0], job)
            #expect(try await world.submit(phones[0], job, grant) == "accepted")
            #expect(
                try await world.count("SELECT count(*) FROM delivery.downstream_ciphertext WHERE job_id = \(job)") == 1)
            let event = try await world.administrator.query(
                """
                SELECT convert_from(e.body, 'UTF8')::jsonb ->> 'job' AS job, d.route
                  FROM delivery.event_outbox e JOIN delivery.due d ON d.entry = e.id WHERE e.type = 'job.submitted.v1'
                """
            ).one()
            #expect(try event.get("job", as: String.self) == job.description)
            #expect(try event.get("route", as: Int16.self) == 0)
            #expect(try await world.events(job) == ["granted 1", "submitted 1"])
        }
    }

    @Test func `the same submission again is a replay`() async throws {
        try await withWorld { world in
            let (phones, job) = try await world.elected(1)
            let grant = try await world.acquire(phones[0], job)
            _ = try await world.submit(phones[0], job, grant)
            #expect(try await world.submit(phones[0], job, grant) == "replayed")
            #expect(try await world.count("SELECT count(*) FROM delivery.event_outbox") == 1)
        }
    }

    @Test func `another digest of the same epoch is refused and the first stays`() async throws {
        try await withWorld { world in
            let (phones, job) = try await world.elected(1)
            let grant = try await world.acquire(phones[0], job)
            _ = try await world.submit(phones[0], job, grant)
            #expect(try await world.submit(phones[0], job, grant, text: "y") == "mismatch")
        }
    }

    @Test func `late and nobody else elected is accepted and granted again`() async throws {
        try await withWorld { world in
            let (phones, job) = try await world.elected(2)
            let grant = try await world.acquire(phones[0], job)
            try await world.expire(job)
            #expect(try await world.submit(phones[0], job, grant) == "accepted")
            #expect(try await world.events(job) == ["granted 1", "regranted 1", "submitted 1"])
        }
    }

    @Test func `late is refused when the settings say so`() async throws {
        try await withWorld { world in
            let (phones, job) = try await world.elected(1)
            let grant = try await world.acquire(phones[0], job)
            try await world.expire(job)
            #expect(try await world.submit(phones[0], job, grant, acceptLate: false) == "expired")
        }
    }

    /// A check of the expiry alone would accept it: the new holder's lease runs.
    @Test func `late after another device was elected is fenced`() async throws {
        try await withWorld { world in
            let (phones, job) = try await world.elected(2)
            let old = try await world.acquire(phones[0], job)
            try await world.expire(job)
            let new = try await world.acquire(phones[1], job)
            #expect(try await world.submit(phones[0], job, old) == "fenced")
            #expect(try await world.submit(phones[1], job, new) == "accepted")
            #expect(try await world.submit(phones[0], job, old) == "already_done")
        }
    }

    /// A check of the holder alone would accept it: the same device holds the newer lease.
    @Test func `an older epoch of the same device is fenced`() async throws {
        try await withWorld { world in
            let (phones, job) = try await world.elected(1)
            let old = try await world.acquire(phones[0], job)
            try await world.expire(job)
            let new = try await world.acquire(phones[0], job)
            #expect(try await world.submit(phones[0], job, old) == "fenced")
            #expect(try await world.submit(phones[0], job, new) == "accepted")
        }
    }

    @Test func `nothing is accepted after the hard deadline`() async throws {
        try await withWorld { world in
            let (phones, job) = try await world.elected(1)
            let grant = try await world.acquire(phones[0], job)
            try await world.expire(job, hard: true)
            #expect(try await world.submit(phones[0], job, grant) == "expired")
            #expect(try await world.events(job) == ["granted 1", "refused 1"])
        }
    }

    @Test func `a released lease takes no submission`() async throws {
        try await withWorld { world in
            let (phones, job) = try await world.elected(1)
            let grant = try await world.acquire(phones[0], job)
            _ = try await world.release(phones[0], job, grant)
            #expect(try await world.submit(phones[0], job, grant) == "fenced")
        }
    }

    @Test func `a revoked device's submission is refused`() async throws {
        try await withWorld { world in
            let (phones, job) = try await world.elected(1)
            let grant = try await world.acquire(phones[0], job)
            _ = try await world.gateway.query("SELECT * FROM delivery.revoke_device(\(phones[0].id), \("test"))")
            #expect(try await world.submit(phones[0], job, grant) == "revoked")
        }
    }

    @Test(arguments: [[], ["other"], ["shop", "other"]])
    func `there is one ciphertext a recipient`(names: [String]) async throws {
        try await withWorld { world in
            let (phones, job) = try await world.elected(1)
            let grant = try await world.acquire(phones[0], job)
            #expect(try await world.submit(phones[0], job, grant, recipients: names) == "recipients")
            #expect(try await world.submit(phones[0], job, grant) == "accepted")
        }
    }

    /// Every device tries to submit with whatever it was granted, in several rounds of expiry.
    @Test func `whatever happens at most one submission is accepted`() async throws {
        try await withWorld { world in
            let (phones, job) = try await world.elected(4)
            var grants: [(Phone, World.Grant)] = []
            for phone in phones {
                grants.append((phone, try await world.acquire(phone, job)))
                try await world.expire(job)
            }
            let everyone = grants
            let outcomes = try await withThrowingTaskGroup(of: String.self) { group in
                for _ in 0..<3 {
                    for (phone, grant) in everyone {
                        group.addTask { try await world.submit(phone, job, grant, text: phone.id.description) }
                    }
                }
                return try await group.reduce(into: [:]) { $0[$1, default: 0] += 1 }
            }
            #expect(outcomes["accepted"] == 1)
            #expect(outcomes["replayed"] == 2)
            let winner = try await world.count("SELECT epoch FROM delivery.downstream_submission WHERE job_id = \(job)")
            #expect(winner == 4)
        }
    }

    /// Without the lock on the device row the submission would be accepted beside the revocation.
    @Test func `a submission waits for a revocation that is under way and is refused`() async throws {
        try await withWorld { world in
            let (phones, job) = try await world.elected(1)
            let grant = try await world.acquire(phones[0], job)
            let revoking = try await Connection.open(world.administrator.settings)
            try await revoking.execute("BEGIN")
            _ = try await revoking.query("SELECT * FROM delivery.revoke_device(\(phones[0].id), \("test"))")
            let submission = Task { try await world.submit(phones[0], job, grant) }
            #expect(try await world.waits(for: "submit_fanout"))
            try await revoking.execute("COMMIT")
            #expect(try await submission.value == "revoked")
            await revoking.close()
        }
    }

    /// An unlogged table is empty after a crash, and epochs would start again.
    @Test func `what fences survives a crash`() async throws {
        try await withWorld { world in
            let unlogged = try await world.count(
                """
                SELECT count(*) FROM pg_class c WHERE c.relnamespace = 'delivery'::regnamespace
                   AND c.relkind IN ('r', 'p') AND c.relpersistence <> 'p'
                """)
            #expect(unlogged == 0)
        }
    }
}
