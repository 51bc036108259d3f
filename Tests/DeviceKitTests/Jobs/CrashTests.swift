import Delivery
import DeviceKit
import DeviceStore
import FoundationEssentials
import Messages
import Synchronization
import Testing

/// Digests that a device submitted, and whether anything was sent before it was durable.
private final class Watch: Sendable {
    let digests = Mutex<Set<[UInt8]>>([])
    let violations = Mutex<[String]>([])
    func note(_ violation: String) { violations.withLock { $0.append(violation) } }
}

@Suite(.timeLimit(.minutes(3))) struct CrashTests {
    enum Kind: String, CaseIterable { case memory, sqlite }
    enum Way: String, CaseIterable { case hint, foreground }

    @Test(arguments: Kind.allCases, Way.allCases)
    func `R-18, R-35: killed at any await, a device goes on to one receipt, one digest and one acknowledgement`(
        kind: Kind, way: Way
    ) async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "devices-\(Identifier.random())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        var crashes = 0
        for step in 1... {
            let path = folder.appending(path: "\(step).sqlite").path(percentEncoded: false)
            let memory = MemoryStore()
            // A reboot opens the file anew; memory plays a disk that survives.
            let open: () throws -> any WorkStore = { kind == .memory ? memory : try SQLiteStore(path: path) }
            guard try await run(crashingAt: step, way: way, open: open) else { break }
            crashes += 1
        }
        #expect(crashes > 40)
    }

    /// False if the run ended before that step came.
    private func run(crashingAt step: Int, way: Way, open: () throws -> any WorkStore) async throws -> Bool {
        let world = World()
        let watch = Watch()
        var store = try open()
        _ = try await world.boot(store)
        let other = MemoryStore()
        let second = try await world.boot(other)
        let job = try await world.commit()

        store = try open()
        let point = CrashPoint(at: step)
        do {
            let phone = try await world.boot(store, point: point, inspect: inspector(watch, store, job))
            if way == .hint { _ = try await phone.receive(World.payload(job)) } else { try await phone.foreground() }
        } catch WorkStoreError.stopped {
        } catch DeviceError.stopped {
        }
        guard point.hasCrashed else { return false }
        let digest = try await store.receipt(job)?.digest

        // Half of the time another device runs while this one is dead, and may take the lease over.
        if step % 2 == 0 {
            world.clock.advance(by: 91_000)
            try await second.foreground()
        }
        store = try open()
        let phone = try await world.boot(store, inspect: inspector(watch, store, job))
        try await phone.foreground()
        for _ in 0..<4 where !(try await store.openJobs().isEmpty) {
            world.clock.advance(by: 100_000)
            try await phone.work()
        }
        try await second.foreground()
        try await check(world, watch, store, job, phone.identity.device, digestBefore: digest, step)
        #expect(try await other.receipts() == store.receipts(), "step \(step)")
        return true
    }

    private func check(
        _ world: World, _ watch: Watch, _ store: any WorkStore, _ job: Identifier, _ device: Identifier,
        digestBefore: [UInt8]?, _ step: Int
    ) async throws {
        let receipts = try await store.receipts()
        #expect(receipts.count == 1, "I-9, step \(step)")
        if let digestBefore { #expect(receipts.first?.digest == digestBefore, "I-9, step \(step)") }
        #expect(watch.violations.withLock { $0 } == [], "step \(step)")
        #expect(watch.digests.withLock { $0.count } <= 1, "I-10b, step \(step)")
        let seen = try #require(await world.gateway.jobs[job])
        #expect(seen.states[device] == .acknowledged && seen.submission != nil, "step \(step)")
        #expect(Set(seen.evidence.values).count == 1, "step \(step)")
        let log = await world.gateway.log
        #expect(log.count { if case .submitted = $0 { true } else { false } } == 1, "I-13, step \(step)")
        if let submission = seen.submission, submission.device == device {
            let granted = try #require(log.firstIndex(of: .granted(device, submission.epoch)))
            let submitted = try #require(log.firstIndex(of: .submitted(device, submission.epoch)))
            let acknowledged = try #require(log.firstIndex(of: .acknowledged(device)))
            #expect(acknowledged > submitted || acknowledged < granted, "I-19, step \(step)")
        }
        #expect(try await store.openJobs().isEmpty, "step \(step)")
    }

    private func inspector(
        _ watch: Watch, _ store: any WorkStore, _ job: Identifier
    ) -> @Sendable (TransportRequest) async -> Void {
        { request in
            let row = try? await store.job(job)
            if request.path.hasSuffix("/ack") {
                if (try? await store.receipt(job)) == nil { watch.note("I-10: ack without a receipt") }
                if row?.reportBody != request.body { watch.note("an ack that was not stored first") }
            }
            if request.path.hasSuffix("/fanout-lease"), request.method == "POST" {
                let asked = try? DeviceAPILeaseRequest(decoding: request.body ?? [])
                if row?.attempt != asked?.attemptID { watch.note("an attempt that was not stored first") }
                if (try? await store.receipt(job)) == nil { watch.note("a lease without a receipt") }
            }
            if request.path.contains("/fanout/") {
                let sent = try? DeviceAPISubmission(decoding: request.body ?? [])
                let kept = try? await store.submission(job)
                if kept?.digest != sent?.digest || kept?.ciphertexts != sent?.ciphertexts {
                    watch.note("I-10b: a submission that was not stored first")
                }
                watch.digests.withLock { _ = $0.insert(sent?.digest ?? []) }
            }
        }
    }
}
