import Cryptography
import Delivery
import DeviceKit
import DeviceStore
import Messages
import Testing

@Suite(.timeLimit(.minutes(1))) struct PipelineTests {
    private let world = World()
    private let store = MemoryStore()

    @Test func `R-05: a hint leads through fetch, claim, receipt, lease and submit to the acknowledgement`()
        async throws
    {
        let journal = MemoryJournal()
        let phone = try await world.boot(store, journal: journal)
        let job = try await world.commit()
        #expect(try await phone.receive(World.payload(job)) == .work(.finished))
        #expect(
            journal.entries.map(\.step) == [
                .boot, .enrolled, .hint, .fetched, .claimed, .generated, .persisted, .leaseAsked, .leaseGranted,
                .submitSent, .submitted, .ackSent, .acknowledged,
            ])
        #expect(
            await world.gateway.requests(of: phone.identity.device).dropFirst() == [
                "GET /v1/jobs/\(job)", "POST /v1/jobs/\(job)/claim", "POST /v1/jobs/\(job)/fanout-lease",
                "PUT /v1/jobs/\(job)/fanout/1", "POST /v1/jobs/\(job)/ack",
            ])
    }

    @Test func `R-16: hints again and again, in any order, change nothing and send nothing (fault 41)`() async throws {
        let phone = try await world.boot(store)
        let jobs = [try await world.commit(), try await world.commit(), try await world.commit()]
        for job in jobs.reversed() + jobs { _ = try await phone.receive(World.payload(job)) }
        let after = await world.gateway.log.count
        for job in jobs { #expect(try await phone.receive(World.payload(job)) == .work(.finished)) }
        #expect(await world.gateway.log.count == after)
        #expect(try await store.receipts().count == 3)
    }

    @Test func `R-46: a foreground sync does the same for everything the listing names, over all pages`() async throws {
        let phone = try await world.boot(store)
        for _ in 0..<5 { try await world.commit() }
        try await phone.foreground()
        #expect(try await store.receipts().count == 5)
        #expect(try await store.openJobs().isEmpty)
        #expect(await world.gateway.jobs.values.allSatisfy { $0.states.values.allSatisfy { $0 == .acknowledged } })
    }

    @Test func `R-08, R-61: two phones make the same receipt and give the same evidence; one submits`() async throws {
        let other = MemoryStore()
        let first = try await world.boot(store)
        let second = try await world.boot(other, platform: .android)
        let job = try await world.commit()
        _ = try await first.receive(World.payload(job))
        _ = try await second.receive(World.payload(job))
        #expect(try await store.receipts() == other.receipts())
        let seen = try #require(await world.gateway.jobs[job])
        #expect(Set(seen.evidence.values).count == 1 && seen.evidence.count == 2)
        #expect(await world.gateway.log.count { if case .submitted = $0 { true } else { false } } == 1)
    }

    @Test func `while another device is elected this one reports, then stands in when that one is gone`() async throws {
        let other = MemoryStore()
        let first = try await world.boot(store)
        let second = try await world.boot(other)
        let job = try await world.commit()
        await world.gateway.grantTo(second.identity.device, job: job)
        guard case .work(.waiting(let time)) = try await first.receive(World.payload(job)) else {
            Issue.record("not waiting")
            return
        }
        #expect(time >= world.clock.wall() + 90_000)
        #expect(await world.gateway.jobs[job]?.states[first.identity.device] == .acknowledged)
        #expect(try await store.submission(job) != nil)
        world.clock.advance(by: 95_000)
        try await first.work()
        #expect(await world.gateway.jobs[job]?.submission?.device == first.identity.device)
        #expect(try await store.submission(job) == nil)
        #expect(try await store.openJobs().isEmpty)
    }

    @Test func `an acknowledged device is called back for the fan-out by a listing`() async throws {
        let other = MemoryStore()
        let first = try await world.boot(store)
        let second = try await world.boot(other)
        let job = try await world.commit()
        await world.gateway.grantTo(second.identity.device, job: job)
        _ = try await first.receive(World.payload(job))
        world.clock.advance(by: 91_000)
        try await first.foreground()
        #expect(await world.gateway.jobs[job]?.submission?.device == first.identity.device)
    }

    @Test func `a fenced submit takes a new attempt with the same ciphertexts`() async throws {
        let phone = try await world.boot(store)
        let job = try await world.commit()
        await world.gateway.script("PUT /fanout/1", .status(409, .fanoutFenced))
        await world.gateway.script("POST /fanout-lease", .answerLost)
        _ = try await phone.receive(World.payload(job))
        let digest = try await store.submission(job)?.digest
        world.clock.advance(by: 100_000)
        try await phone.work()
        world.clock.advance(by: 100_000)
        try await phone.work()
        #expect(await world.gateway.jobs[job]?.submission?.digest == digest)
        #expect(await world.gateway.jobs[job]?.states[phone.identity.device] == .acknowledged)
    }

    @Test func `ciphertexts that are refused for good never hold up the acknowledgement`() async throws {
        let phone = try await world.boot(store)
        let job = try await world.commit()
        await world.gateway.script("PUT /fanout/1", .status(422, .recipientsMismatch))
        #expect(try await phone.receive(World.payload(job)) == .work(.finished))
        #expect(await world.gateway.jobs[job]?.states[phone.identity.device] == .acknowledged)
        #expect(await world.gateway.jobs[job]?.holder == nil)
    }

    @Test(arguments: ["GET", "POST /claim", "POST /fanout-lease", "PUT", "POST /ack"])
    func `a lost answer of any call is made good by calling again`(call: String) async throws {
        let phone = try await world.boot(store)
        let job = try await world.commit()
        await world.gateway.script(call, .answerLost)
        guard case .work(.waiting) = try await phone.receive(World.payload(job)) else {
            Issue.record("not waiting")
            return
        }
        world.clock.advance(by: 2_001)
        try await phone.work()
        #expect(await world.gateway.jobs[job]?.states[phone.identity.device] == .acknowledged)
        #expect(await world.gateway.jobs[job]?.epoch == 1)
        #expect(try await store.receipts().count == 1)
    }

    @Test(arguments: [
        SimulatedGateway.Fault.status(503, .unavailable, retryAfter: 30),
        .status(429, .tooManyRequests, retryAfter: 30),
    ])
    func `Retry-After is kept`(fault: SimulatedGateway.Fault) async throws {
        let phone = try await world.boot(store)
        let job = try await world.commit()
        await world.gateway.script("GET", fault)
        guard case .work(.waiting(let time)) = try await phone.receive(World.payload(job)) else {
            Issue.record("not waiting")
            return
        }
        #expect(time - world.clock.wall() >= 30_000)
        #expect(try await store.job(job)?.failures == 1)
    }

    @Test func `without network no attempt is counted`() async throws {
        let phone = try await world.boot(store)
        let job = try await world.commit()
        await world.gateway.script("GET", .offline)
        _ = try await phone.receive(World.payload(job))
        #expect(try await store.job(job)?.failures == 0)
    }

    @Test func `another device's job and no job at all look alike and leave no row`() async throws {
        let stranger = Identifier.random()
        let phone = try await world.boot(store)
        #expect(try await phone.receive(World.payload(stranger)) == .work(.unknown))
        #expect(try await store.job(stranger) == nil)
    }

    @Test func `a job that expired meanwhile is let go`() async throws {
        let phone = try await world.boot(store)
        let job = try await world.commit()
        await world.gateway.close(job)
        #expect(try await phone.receive(World.payload(job)) == .work(.finished))
        #expect(try await store.job(job)?.stage == .gone)
    }

    @Test func `a job of an unknown author is refused with that reason, once`() async throws {
        let phone = try await world.boot(store)
        let job = try await world.commit(author: .random())
        _ = try await phone.receive(World.payload(job))
        _ = try await phone.receive(World.payload(job))
        let failures = await world.gateway.log.filter { if case .failed = $0 { true } else { false } }
        #expect(failures == [.failed(phone.identity.device, "author-unknown")])
        #expect(try await store.receipts().isEmpty)
    }

    @Test(arguments: ["not json", "[1]", #"{"a":1,"a":2}"#])
    func `a document that is none is refused as invalid`(text: String) async throws {
        let phone = try await world.boot(store)
        let job = try await world.commit(text)
        _ = try await phone.receive(World.payload(job))
        #expect(await world.gateway.log.last == .failed(phone.identity.device, "document-invalid"))
        #expect(try await store.job(job)?.stage == .rejected)
    }

    @Test func `a revoked device stops`() async throws {
        let phone = try await world.boot(store)
        let job = try await world.commit()
        await world.gateway.revoke(phone.identity.device)
        await #expect(throws: DeviceError.revoked) { try await phone.receive(World.payload(job)) }
        await #expect(throws: DeviceError.revoked) { try await phone.foreground() }
    }
}
