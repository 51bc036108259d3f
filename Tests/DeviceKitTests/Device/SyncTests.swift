import Delivery
import DeviceKit
import DeviceStore
import Messages
import Testing

@Suite(.timeLimit(.minutes(1))) struct SyncTests {
    private let world = World()
    private let store = MemoryStore()

    @Test func `an unchanged listing is answered 304 and confirms the last one: reports it lacks go again`()
        async throws
    {
        let phone = try await world.boot(store)
        let job = try await world.commit(recipients: [])
        await world.gateway.setRecordsAcks(false)
        try await phone.foreground()
        let first = await world.gateway.log.count { $0 == .acknowledged(phone.identity.device) }
        #expect(first == 1)
        let journal = MemoryJournal()
        let again = try await world.boot(store, journal: journal)
        try await again.foreground()
        #expect(journal.entries.contains { $0.detail == "unchanged, 1 jobs" })
        #expect(await world.gateway.log.count { $0 == .acknowledged(phone.identity.device) } == 2)
        await world.gateway.setRecordsAcks(true)
        try await again.foreground()
        #expect(await world.gateway.jobs[job]?.states[phone.identity.device] == .acknowledged)
        let done = await world.gateway.log.count { $0 == .acknowledged(phone.identity.device) }
        try await again.foreground()
        #expect(await world.gateway.log.count { $0 == .acknowledged(phone.identity.device) } == done)
    }

    @Test func `R-15: a hint fetches its job alone, and other pending jobs only make a sync wished`() async throws {
        let phone = try await world.boot(store)
        let first = try await world.commit()
        try await world.commit()
        _ = try await phone.receive(World.payload(first))
        #expect(try await store.receipts().count == 1)
        #expect(try await phone.syncIfWished())
        #expect(try await store.receipts().count == 2)
        #expect(try await !phone.syncIfWished())
    }

    @Test func `any number of unusable hints leads to one sync at most, and no fetch`() async throws {
        let phone = try await world.boot(store)
        let before = await world.gateway.log.count
        for _ in 0..<50 {
            _ = try await phone.receive(Array(#"{"eventType":"NEW","eventVersion":9}"#.utf8))
            try await phone.syncIfWished()
        }
        #expect(
            await world.gateway.requests(of: phone.identity.device).dropFirst(before) == ["GET /v1/sync"])
    }

    @Test func `R-51: deleted messages are repaired by a listing, with that origin`() async throws {
        let phone = try await world.boot(store, platform: .android)
        let job = try await world.commit()
        try await phone.messagesWereDeleted()
        #expect(try await store.job(job)?.origin == .deletedMessages)
        #expect(try await store.receipts().count == 1)
    }

    @Test func `the foreground does not leave a job waiting in a long backoff`() async throws {
        let phone = try await world.boot(store)
        let job = try await world.commit()
        await world.gateway.script("GET \(job)", .status(503, .unavailable, retryAfter: 3_600))
        _ = try await phone.receive(World.payload(job))
        try await phone.foreground()
        #expect(try await store.receipts().count == 1)
    }

    @Test func `a wrong phone clock is corrected once from what the gateway says`() async throws {
        await world.gateway.setChecksTime()
        let wrong = TestClock(offset: -2 * 86_400_000)
        let phone = try await world.boot(store, clock: wrong)
        let job = try await world.commit()
        _ = try await phone.receive(World.payload(job))
        #expect(try await store.receipts().count == 1)
        #expect(
            await world.gateway.requests(of: phone.identity.device).count { $0.hasPrefix("POST /v1/devices") } == 2)
    }

    @Test func `R-35: a window that ends starts nothing new, and the rest is done in the next`() async throws {
        let phone = try await world.boot(store)
        let job = try await world.commit()
        await #expect(throws: DeviceError.stopped) {
            try await phone.receive(World.payload(job), until: world.clock.monotonic())
        }
        #expect(try await store.job(job)?.stage == .hinted)
        try await phone.foreground()
        #expect(try await store.receipts().count == 1)
    }

    @Test func `two workers never work on one job at once`() async throws {
        let phone = try await world.boot(store)
        let job = try await world.commit()
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<20 {
                group.addTask { _ = try? await phone.receive(World.payload(job)) }
                group.addTask { _ = try? await phone.foreground() }
            }
        }
        try await phone.foreground()
        #expect(try await store.receipts().count == 1)
        let requests = await world.gateway.requests(of: phone.identity.device)
        #expect(requests.count { $0 == "GET /v1/jobs/\(job)" } == 1)
        #expect(requests.count { $0 == "POST /v1/jobs/\(job)/claim" } == 1)
        #expect(requests.count { $0.hasPrefix("PUT") } == 1)
    }
}
