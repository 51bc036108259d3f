import Delivery
import Testing

@Suite(.serialized, .timeLimit(.minutes(2))) struct RenewalTests {
    @Test func `the holder renews`() async throws {
        try await withWorld { world in
            let (phones, job) = try await world.elected(1)
            let grant = try await world.acquire(phones[0], job, ttl: .seconds(1))
            let renewed = try await world.renew(phones[0], job, grant)
            #expect(renewed.outcome == "renewed" && renewed.milliseconds == 90_000)
        }
    }

    @Test func `a renewal does not pass the hard deadline`() async throws {
        try await withWorld { world in
            let (phones, job) = try await world.elected(1)
            let grant = try await world.acquire(phones[0], job, ttl: .seconds(20), hard: .seconds(30))
            let renewed = try await world.renew(phones[0], job, grant)
            #expect((1...30_000).contains(renewed.milliseconds ?? 0))
        }
    }

    @Test func `an expired lease is not renewed`() async throws {
        try await withWorld { world in
            let (phones, job) = try await world.elected(1)
            let grant = try await world.acquire(phones[0], job)
            try await world.expire(job)
            #expect(try await world.renew(phones[0], job, grant).outcome == "expired")
        }
    }

    @Test func `an old epoch is fenced and told the current one`() async throws {
        try await withWorld { world in
            let (phones, job) = try await world.elected(2)
            let old = try await world.acquire(phones[0], job)
            try await world.expire(job)
            _ = try await world.acquire(phones[1], job)
            let answer = try await world.renew(phones[0], job, old)
            #expect(answer.outcome == "fenced" && answer.epoch == 2)
        }
    }

    @Test func `a wrong nonce is fenced`() async throws {
        try await withWorld { world in
            let (phones, job) = try await world.elected(1)
            var grant = try await world.acquire(phones[0], job)
            grant.nonce = .random()
            #expect(try await world.renew(phones[0], job, grant).outcome == "fenced")
            #expect(try await world.release(phones[0], job, grant) == "fenced")
            #expect(try await world.submit(phones[0], job, grant) == "fenced")
        }
    }

    @Test func `a release can be repeated and frees the lease`() async throws {
        try await withWorld { world in
            let (phones, job) = try await world.elected(2)
            let grant = try await world.acquire(phones[0], job)
            #expect(try await world.release(phones[0], job, grant) == "released")
            #expect(try await world.release(phones[0], job, grant) == "released")
            #expect(try await world.acquire(phones[1], job).epoch == 2)
            #expect(try await world.release(phones[0], job, grant) == "fenced")
        }
    }
}
