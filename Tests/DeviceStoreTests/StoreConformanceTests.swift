import Delivery
import DeviceKit
import DeviceStore
import FoundationEssentials
import Messages
import Testing

enum StoreKind: String, CaseIterable, Sendable { case memory, sqlite }

/// One store of either kind, and its file taken away afterwards.
func withStore(_ kind: StoreKind, _ body: (any WorkStore) async throws -> Void) async throws {
    guard kind == .sqlite else { return try await body(MemoryStore()) }
    try await withStoreFile { try await body(SQLiteStore(path: $0)) }
}

func withStoreFile(_ body: (String) async throws -> Void) async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "store-\(Identifier.random())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    try await body(folder.appending(path: "device.sqlite").path(percentEncoded: false))
}

@Suite struct StoreConformanceTests {
    private func row(_ id: Identifier = .random(), at time: Int64 = 0) -> LocalJob {
        LocalJob(job: id, documentType: .receipt, origin: .hint, createdAt: time)
    }

    private func receipt(_ job: Identifier, digest: UInt8 = 1) -> Receipt {
        Receipt(
            job: job, documentType: .receipt, document: [1, 2], digest: [UInt8](repeating: digest, count: 32))
    }

    private func full(_ id: Identifier) -> LocalJob {
        var job = row(id, at: 5)
        job.stage = .generated
        job.fanout = .open
        job.report = .pending
        job.rejection = "x"
        job.digest = [UInt8](repeating: 1, count: 32)
        job.reportBody = [1]
        job.attempt = .random()
        job.lease = LocalJob.Lease(epoch: 7, nonce: .random())
        job.failures = 3
        job.retryAt = 8
        job.fanoutRetryAt = 9
        return job
    }

    @Test(arguments: StoreKind.allCases)
    func `a row is inserted once and read back whole`(kind: StoreKind) async throws {
        try await withStore(kind) { store in
            let first = row()
            var second = first
            second.origin = .foreground
            #expect(try await store.insert(first) == first)
            #expect(try await store.insert(second) == first)
            let worker = Identifier.random()
            #expect(try await store.claim(first.job, worker: worker, until: 10, now: 0))
            let changed = full(first.job)
            try await store.save(JobChange(changed), worker: worker)
            var expected = changed
            expected.origin = .hint
            #expect(try await store.job(first.job) == changed)
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `a job is claimed by one worker at a time`(kind: StoreKind) async throws {
        try await withStore(kind) { store in
            let job = try await store.insert(row()).job
            let (first, second) = (Identifier.random(), Identifier.random())
            #expect(try await store.claim(job, worker: first, until: 100, now: 0))
            #expect(try await !store.claim(job, worker: second, until: 100, now: 99))
            #expect(try await store.claim(job, worker: first, until: 200, now: 99))
            #expect(try await store.claim(job, worker: second, until: 300, now: 200))
            #expect(try await !store.claim(.random(), worker: second, until: 300, now: 0))
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `a claim is fenced: who lost it writes nothing and releases nothing`(kind: StoreKind) async throws {
        try await withStore(kind) { store in
            let job = try await store.insert(row())
            let (first, second) = (Identifier.random(), Identifier.random())
            #expect(try await store.claim(job.job, worker: first, until: 100, now: 0))
            #expect(try await store.claim(job.job, worker: second, until: 300, now: 100))
            await #expect(throws: WorkStoreError.lostClaim) {
                try await store.save(JobChange(full(job.job)), worker: first)
            }
            await #expect(throws: WorkStoreError.lostClaim) { try await store.drop(job.job, worker: first) }
            try await store.release(job.job, worker: first)
            #expect(try await !store.claim(job.job, worker: first, until: 400, now: 200))
            try await store.release(job.job, worker: second)
            #expect(try await store.claim(job.job, worker: first, until: 400, now: 200))
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `after a restart of the only process no claim stands`(kind: StoreKind) async throws {
        try await withStore(kind) { store in
            let job = try await store.insert(row()).job
            #expect(try await store.claim(job, worker: .random(), until: 1_000, now: 0))
            try await store.forgetClaims()
            #expect(try await store.claim(job, worker: .random(), until: 1_000, now: 0))
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `receipt and state come together, and a second receipt is refused with all that goes with it`(
        kind: StoreKind
    ) async throws {
        try await withStore(kind) { store in
            let job = try await store.insert(row()).job
            let worker = Identifier.random()
            #expect(try await store.claim(job, worker: worker, until: 100, now: 0))
            let submission = Submission(
                job: job, ciphertexts: ["a": [1], "b": []], digest: [UInt8](repeating: 4, count: 32))
            try await store.save(
                JobChange(full(job), fetched: [], receipt: receipt(job), submission: submission), worker: worker)
            #expect(try await store.receipt(job) == receipt(job))
            #expect(try await store.receipts() == [receipt(job)])
            #expect(try await store.submission(job) == submission)
            var other = full(job)
            other.failures = 99
            await #expect(throws: WorkStoreError.conflict) {
                try await store.save(JobChange(other, receipt: receipt(job, digest: 2)), worker: worker)
            }
            #expect(try await store.job(job)?.failures == 3)
            #expect(try await store.receipt(job) == receipt(job))
            try await store.save(JobChange(full(job), receipt: receipt(job)), worker: worker)
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `the first submission stays, and goes when nobody will ask for it`(kind: StoreKind) async throws {
        try await withStore(kind) { store in
            let job = try await store.insert(row()).job
            let worker = Identifier.random()
            #expect(try await store.claim(job, worker: worker, until: 100, now: 0))
            let first = Submission(job: job, ciphertexts: ["a": [1]], digest: [UInt8](repeating: 4, count: 32))
            let second = Submission(job: job, ciphertexts: ["a": [2]], digest: [UInt8](repeating: 5, count: 32))
            var state = full(job)
            try await store.save(JobChange(state, submission: first), worker: worker)
            try await store.save(JobChange(state, submission: second), worker: worker)
            #expect(try await store.submission(job) == first)
            state.report = .sent
            try await store.save(JobChange(state), worker: worker)
            #expect(try await store.submission(job) == first)
            state.fanout = .over
            try await store.save(JobChange(state), worker: worker)
            #expect(try await store.submission(job) == nil)
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `a fetched body is kept until it is forgotten`(kind: StoreKind) async throws {
        try await withStore(kind) { store in
            let job = try await store.insert(row())
            let worker = Identifier.random()
            #expect(try await store.claim(job.job, worker: worker, until: 100, now: 0))
            try await store.save(JobChange(job, fetched: [7, 8]), worker: worker)
            try await store.save(JobChange(job), worker: worker)
            #expect(try await store.fetched(job.job) == [7, 8])
            try await store.save(JobChange(job, fetched: []), worker: worker)
            #expect(try await store.fetched(job.job) == nil)
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `a row is dropped, but never one with a receipt`(kind: StoreKind) async throws {
        try await withStore(kind) { store in
            let worker = Identifier.random()
            for keeps in [false, true] {
                let job = try await store.insert(row())
                #expect(try await store.claim(job.job, worker: worker, until: 100, now: 0))
                try await store.save(JobChange(job, fetched: [1]), worker: worker)
                if keeps {
                    try await store.save(JobChange(full(job.job), receipt: receipt(job.job)), worker: worker)
                    await #expect(throws: WorkStoreError.conflict) { try await store.drop(job.job, worker: worker) }
                } else {
                    try await store.drop(job.job, worker: worker)
                }
                #expect(try await (store.job(job.job) != nil) == keeps)
            }
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `a listing inserts unknown jobs, touches known ones, and is remembered whole`(kind: StoreKind) async throws {
        try await withStore(kind) { store in
            #expect(try await store.lastListing() == nil)
            let known = try await store.insert(row(at: 1))
            let entries = [known.job, Identifier.random()].map {
                DeviceAPIListing.Entry(
                    job: $0, documentType: .creditNote, state: .pending, fanoutNeeded: false, committedAt: 3,
                    expiresAt: 4)
            }
            let listing = Listing(etag: "\"1\"", entries: entries)
            try await store.apply(listing, origin: .foreground, now: 50)
            try await store.apply(listing, origin: .deletedMessages, now: 60)
            #expect(try await store.lastListing() == listing)
            #expect(try await store.job(known.job)?.origin == .hint)
            let inserted = try #require(await store.job(entries[1].job))
            #expect(inserted.origin == .foreground && inserted.createdAt == 50 && inserted.documentType == .creditNote)
            #expect(try await store.openJobs().map(\.job) == entries.map(\.job))
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `waking up ends the waits of open rows only`(kind: StoreKind) async throws {
        try await withStore(kind) { store in
            var open = row()
            open.retryAt = 1_000
            var closed = row()
            closed.stage = .gone
            closed.retryAt = 1_000
            _ = try await store.insert(open)
            _ = try await store.insert(closed)
            try await store.wakeUp()
            #expect(try await store.job(open.job)?.retryAt == nil)
            #expect(try await store.job(closed.job)?.retryAt == 1_000)
            #expect(try await store.openJobs().map(\.job) == [open.job])
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `values are set, replaced and removed; numbers only grow`(kind: StoreKind) async throws {
        try await withStore(kind) { store in
            #expect(try await store.value("a") == nil)
            try await store.setValue("a", [1])
            try await store.setValue("a", [])
            #expect(try await store.value("a") == [])
            try await store.setValue("a", nil)
            #expect(try await store.value("a") == nil)
            #expect(try await store.nextNumber("n") == 1)
            #expect(try await store.nextNumber("n") == 2)
            #expect(try await store.nextNumber("m") == 1)
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `erasing leaves the values that are named, and nothing else`(kind: StoreKind) async throws {
        try await withStore(kind) { store in
            let job = try await store.insert(row())
            let worker = Identifier.random()
            #expect(try await store.claim(job.job, worker: worker, until: 100, now: 0))
            try await store.save(
                JobChange(full(job.job), fetched: [1], receipt: receipt(job.job)), worker: worker)
            try await store.apply(Listing(etag: "e", entries: []), origin: .hint, now: 0)
            try await store.setValue("kept", [1])
            try await store.setValue("lost", [1])
            _ = try await store.nextNumber("n")
            try await store.erase(keeping: ["kept"])
            #expect(try await store.job(job.job) == nil)
            #expect(try await store.receipts() == [])
            #expect(try await store.lastListing() == nil)
            #expect(try await store.value("kept") == [1])
            #expect(try await store.value("lost") == nil)
            #expect(try await store.nextNumber("n") == 1)
        }
    }
}
