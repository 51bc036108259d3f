import Cryptography
import Delivery
import DeviceKit
import DeviceStore
import Messages
import Synchronization

/// The store of one process of a phone: nothing is written once the process has ended. Planted bugs about storage are here.
struct PhoneStore: WorkStore {
    let base: any WorkStore
    /// Planted: jobs and receipts are here and never reach the disk.
    let volatile: MemoryStore?
    let life: ProcessLife
    let defect: VerificationDefect?
    private let reordered = OnceEach()

    init(_ base: any WorkStore, life: ProcessLife, defect: VerificationDefect?) {
        self.base = base
        self.life = life
        self.defect = defect
        volatile = defect == .ackBeforeDisk ? MemoryStore() : nil
    }

    private var jobs: any WorkStore { volatile ?? base }

    private func check() throws(WorkStoreError) { if !life.isRunning { throw .stopped } }

    func job(_ id: Identifier) async throws(WorkStoreError) -> LocalJob? {
        try check()
        guard let job = try await jobs.job(id) else { return nil }
        return defect == .ackBeforeSubmit ? reported(job) : job
    }

    func openJobs() async throws(WorkStoreError) -> [LocalJob] {
        try check()
        return try await jobs.openJobs()
    }

    func insert(_ job: LocalJob) async throws(WorkStoreError) -> LocalJob {
        try check()
        return try await jobs.insert(job)
    }

    func claim(_ id: Identifier, worker: Identifier, until: Int64, now: Int64) async throws(WorkStoreError) -> Bool {
        try check()
        return try await jobs.claim(id, worker: worker, until: until, now: now)
    }

    func release(_ id: Identifier, worker: Identifier) async throws(WorkStoreError) {
        try check()
        try await jobs.release(id, worker: worker)
    }

    func forgetClaims() async throws(WorkStoreError) {
        try check()
        try await jobs.forgetClaims()
    }

    func save(_ change: JobChange, worker: Identifier) async throws(WorkStoreError) {
        try check()
        try await jobs.save(change, worker: worker)
    }

    func drop(_ id: Identifier, worker: Identifier) async throws(WorkStoreError) {
        try check()
        try await jobs.drop(id, worker: worker)
    }

    func fetched(_ id: Identifier) async throws(WorkStoreError) -> [UInt8]? { try await jobs.fetched(id) }
    func receipt(_ id: Identifier) async throws(WorkStoreError) -> Receipt? { try await jobs.receipt(id) }
    func receipts() async throws(WorkStoreError) -> [Receipt] { try await jobs.receipts() }

    func submission(_ id: Identifier) async throws(WorkStoreError) -> Submission? {
        guard let stored = try await jobs.submission(id) else { return nil }
        return defect == .ciphertextMadeAnew ? madeAnew(stored) : stored
    }

    func apply(_ listing: Listing, origin: Origin, now: Int64) async throws(WorkStoreError) {
        try check()
        try await jobs.apply(listing, origin: origin, now: now)
    }

    func lastListing() async throws(WorkStoreError) -> Listing? { try await jobs.lastListing() }

    func wakeUp() async throws(WorkStoreError) {
        try check()
        try await jobs.wakeUp()
    }

    func value(_ name: String) async throws(WorkStoreError) -> [UInt8]? {
        try check()
        return try await base.value(name)
    }

    func setValue(_ name: String, _ bytes: [UInt8]?) async throws(WorkStoreError) {
        try check()
        try await base.setValue(name, bytes)
    }

    func nextNumber(_ name: String) async throws(WorkStoreError) -> Int64 {
        try check()
        return try await base.nextNumber(name)
    }

    func erase(keeping names: [String]) async throws(WorkStoreError) {
        try check()
        try await base.erase(keeping: defect == .explainedPerAccount ? [] : names)
    }
}

// What the planted bugs do to a row on its way out.
extension PhoneStore {
    /// As if the report came before the submission, for what the foreground sync found: once for each job.
    private func reported(_ job: LocalJob) -> LocalJob {
        guard job.origin == .foreground, job.stage == .generated, job.report == .pending, job.lease != nil,
            job.fanout == .open,
            reordered.isFirst(job.job)
        else { return job }
        var job = job
        job.lease = nil
        job.fanoutRetryAt = .max
        return job
    }

    /// As if the ciphertexts were made for each try.
    private func madeAnew(_ stored: Submission) -> Submission {
        let ciphertexts = stored.ciphertexts.mapValues { bytes in
            var bytes = bytes
            bytes[0] ^= RandomBytes.make(1)[0] | 1
            return bytes
        }
        return Submission(
            job: stored.job, ciphertexts: ciphertexts,
            digest: Digest.blake2b(DeviceAPISubmission.digestInput(ciphertexts)))
    }
}

/// Says yes the first time that it is asked for a job.
private final class OnceEach: Sendable {
    private let known = Mutex<Set<Identifier>>([])
    func isFirst(_ job: Identifier) -> Bool { known.withLock { $0.insert(job).inserted } }
}
