import Delivery
import Postgres
import Storage
import Testing

/// I-12 and b.2.2 of the specification, one fact each, on a real database.
@Suite(.serialized, .timeLimit(.minutes(2))) struct GrantTests {
    @Test func `the first claimant gets the lease`() async throws {
        try await withWorld { world in
            let (phones, job) = try await world.elected(2)
            let grant = try await world.acquire(phones[0], job)
            #expect(grant.outcome == "granted" && grant.epoch == 1 && grant.milliseconds == 90_000)
        }
    }

    @Test func `another device is told how long the lease runs`() async throws {
        try await withWorld { world in
            let (phones, job) = try await world.elected(2)
            _ = try await world.acquire(phones[0], job)
            let second = try await world.acquire(phones[1], job)
            #expect(second.outcome == "held" && second.nonce == nil)
            #expect((1...90_000).contains(second.milliseconds ?? 0))
        }
    }

    @Test func `a repeated attempt gets the same grant, not a second one`() async throws {
        try await withWorld { world in
            let (phones, job) = try await world.elected(1)
            let attempt = Identifier.random()
            let first = try await world.acquire(phones[0], job, attempt: attempt)
            let again = try await world.acquire(phones[0], job, attempt: attempt)
            #expect(again.outcome == "granted" && again.epoch == first.epoch && again.nonce == first.nonce)
            #expect(try await world.events(job) == ["granted 1"])
        }
    }

    @Test func `the holder does not get a second epoch by another attempt`() async throws {
        try await withWorld { world in
            let (phones, job) = try await world.elected(1)
            _ = try await world.acquire(phones[0], job)
            #expect(try await world.acquire(phones[0], job).outcome == "held")
        }
    }

    @Test func `an attempt never grants twice`() async throws {
        try await withWorld { world in
            let (phones, job) = try await world.elected(1)
            let attempt = Identifier.random()
            let grant = try await world.acquire(phones[0], job, attempt: attempt)
            #expect(try await world.release(phones[0], job, grant) == "released")
            #expect(try await world.acquire(phones[0], job, attempt: attempt).outcome == "attempt_spent")
        }
    }

    @Test func `epochs grow by one over release and expiry`() async throws {
        try await withWorld { world in
            let (phones, job) = try await world.elected(2)
            let first = try await world.acquire(phones[0], job)
            _ = try await world.release(phones[0], job, first)
            let second = try await world.acquire(phones[1], job)
            try await world.expire(job)
            let third = try await world.acquire(phones[0], job)
            #expect([first.epoch, second.epoch, third.epoch] == [1, 2, 3])
            #expect(Set([first.nonce, second.nonce, third.nonce]).count == 3)
            #expect(
                try await world.events(job) == ["granted 1", "released 1", "granted 2", "expired 2", "granted 3"])
        }
    }

    @Test func `of many who ask at once one is elected`() async throws {
        try await withWorld { world in
            let (phones, job) = try await world.elected(8)
            let outcomes = try await withThrowingTaskGroup(of: String.self) { group in
                for phone in phones { group.addTask { try await world.acquire(phone, job).outcome } }
                return try await group.reduce(into: [:]) { $0[$1, default: 0] += 1 }
            }
            #expect(outcomes == ["granted": 1, "held": 7])
        }
    }

    @Test func `who did not claim has nothing to send on`() async throws {
        try await withWorld { world in
            let phone = try await world.enrol()
            let job = try await world.commit()
            #expect(try await world.acquire(phone, job).outcome == "not_generated")
        }
    }

    @Test func `a job without recipients has no lease`() async throws {
        try await withWorld { world in
            let phone = try await world.enrol()
            let job = try await world.commit(recipients: [])
            try await world.claim(phone, job)
            #expect(try await world.acquire(phone, job).outcome == "not_required")
        }
    }

    @Test func `unknown and foreign jobs are not found`() async throws {
        try await withWorld { world in
            let (phones, _) = try await world.elected(1)
            _ = try await world.enrol("account-2")
            let foreign = try await world.commit("account-2")
            #expect(try await world.acquire(phones[0], foreign).outcome == "not_found")
            #expect(try await world.acquire(phones[0], .random()).outcome == "not_found")
        }
    }

    @Test func `a revoked device is not elected`() async throws {
        try await withWorld { world in
            let (phones, job) = try await world.elected(2)
            _ = try await world.gateway.query("SELECT * FROM delivery.revoke_device(\(phones[0].id), \("test"))")
            #expect(try await world.acquire(phones[0], job).outcome == "revoked")
        }
    }

    @Test func `a device that wasted a lease stands behind the others`() async throws {
        try await withWorld { world in
            let (phones, job) = try await world.elected(2)
            _ = try await world.acquire(phones[0], job)
            try await world.expire(job)
            let cooling = try await world.acquire(phones[0], job)
            #expect(cooling.outcome == "held")
            #expect((1...60_000).contains(cooling.milliseconds ?? 0))
            #expect(try await world.acquire(phones[1], job).outcome == "granted")
        }
    }

    @Test func `nobody stands behind when there is no other device`() async throws {
        try await withWorld { world in
            let (phones, job) = try await world.elected(1)
            _ = try await world.acquire(phones[0], job)
            try await world.expire(job)
            #expect(try await world.acquire(phones[0], job).epoch == 2)
        }
    }

    @Test func `the cool-down doubles with every wasted lease`() async throws {
        try await withWorld { world in
            let (phones, job) = try await world.elected(2)
            var waits: [Int64] = []
            for _ in 0..<3 {
                _ = try await world.acquire(phones[0], job, coolDown: .zero)
                try await world.expire(job)
                waits.append(try await world.acquire(phones[0], job).milliseconds ?? 0)
            }
            #expect(zip(waits, [60_000, 120_000, 240_000] as [Int64]).allSatisfy { abs($0 - $1) < 5_000 })
        }
    }
}
