import Delivery
import DeviceKit
import DeviceStore

/// The work store of one process on a disk that outlives it: dead before a call, the call did nothing; dead after it, it is
/// done and nobody knows.
struct GatedStore: WorkStore {
    let disk: SimulatedDisk
    let process: AppProcess
    let defects: Set<PlantedDefect>

    private func read<Result: Sendable>(
        _ body: (MemoryImage) throws(WorkStoreError) -> Result
    ) async throws(WorkStoreError) -> Result {
        guard await process.pass() else { throw .stopped }
        return try disk.read(body)
    }

    private func write<Result: Sendable>(
        isLazy: Bool = false, _ body: (inout MemoryImage) throws(WorkStoreError) -> Result
    ) async throws(WorkStoreError) -> Result {
        guard await process.pass() else { throw .stopped }
        let result = try disk.write(isLazy: isLazy, body)
        await Task.yield()
        guard await process.pass() else { throw .stopped }
        return result
    }

    func job(_ id: Identifier) async throws(WorkStoreError) -> LocalJob? {
        let job = try await read { (image) throws(WorkStoreError) in try image.job(id) }
        return defects.contains(.acknowledgesBeforeSubmit) ? job.map(PlantedDefect.withoutElection) : job
    }

    func openJobs() async throws(WorkStoreError) -> [LocalJob] {
        try await read { (image) throws(WorkStoreError) in try image.openJobs() }
    }

    func insert(_ job: LocalJob) async throws(WorkStoreError) -> LocalJob {
        try await write { (image) throws(WorkStoreError) in try image.insert(job) }
    }

    func claim(_ id: Identifier, worker: Identifier, until: Int64, now: Int64) async throws(WorkStoreError) -> Bool {
        try await write { (image) throws(WorkStoreError) in
            try image.claim(id, worker: worker, until: until, now: now)
        }
    }

    func release(_ id: Identifier, worker: Identifier) async throws(WorkStoreError) {
        try await write { (image) throws(WorkStoreError) in try image.release(id, worker: worker) }
    }

    func forgetClaims() async throws(WorkStoreError) {
        try await write { (image) throws(WorkStoreError) in try image.forgetClaims() }
    }

    func save(_ change: JobChange, worker: Identifier) async throws(WorkStoreError) {
        try await write(isLazy: defects.contains(.acknowledgesBeforeSync)) { (image) throws(WorkStoreError) in
            var change = change
            if defects.contains(.acknowledgesBeforeSubmit), let stored = try image.job(change.job.job) {
                change.job = PlantedDefect.withElection(change.job, of: stored)
            }
            try image.save(change, worker: worker)
        }
    }

    func drop(_ id: Identifier, worker: Identifier) async throws(WorkStoreError) {
        try await write { (image) throws(WorkStoreError) in try image.drop(id, worker: worker) }
    }

    func fetched(_ id: Identifier) async throws(WorkStoreError) -> [UInt8]? {
        try await read { (image) throws(WorkStoreError) in try image.fetched(id) }
    }

    func receipt(_ id: Identifier) async throws(WorkStoreError) -> Receipt? {
        try await read { (image) throws(WorkStoreError) in try image.receipt(id) }
    }

    func submission(_ id: Identifier) async throws(WorkStoreError) -> Submission? {
        let stored = try await read { (image) throws(WorkStoreError) in try image.submission(id) }
        return defects.contains(.encryptsAgain) ? stored.map(PlantedDefect.encryptedAgain) : stored
    }

    func receipts() async throws(WorkStoreError) -> [Receipt] {
        try await read { (image) throws(WorkStoreError) in try image.receipts() }
    }

    func apply(_ listing: Listing, origin: Origin, now: Int64) async throws(WorkStoreError) {
        try await write { (image) throws(WorkStoreError) in
            let seen = defects.contains(.syncsByCursor) ? try PlantedDefect.newer(listing, in: &image) : listing
            try image.apply(seen, origin: origin, now: now)
        }
    }

    func lastListing() async throws(WorkStoreError) -> Listing? {
        try await read { (image) throws(WorkStoreError) in try image.lastListing() }
    }

    func wakeUp() async throws(WorkStoreError) {
        try await write { (image) throws(WorkStoreError) in try image.wakeUp() }
    }

    func value(_ name: String) async throws(WorkStoreError) -> [UInt8]? {
        try await read { (image) throws(WorkStoreError) in try image.value(name) }
    }

    func setValue(_ name: String, _ bytes: [UInt8]?) async throws(WorkStoreError) {
        try await write { (image) throws(WorkStoreError) in try image.setValue(name, bytes) }
    }

    func nextNumber(_ name: String) async throws(WorkStoreError) -> Int64 {
        try await write { (image) throws(WorkStoreError) in try image.nextNumber(name) }
    }

    func erase(keeping names: [String]) async throws(WorkStoreError) {
        try await write { (image) throws(WorkStoreError) in try image.erase(keeping: names) }
    }
}
