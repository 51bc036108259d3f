import Delivery
import DeviceKit

/// Passes everything on to a store that outlives the process, unless the process is dead before or right after it.
struct CrashingStore: WorkStore {
    let base: any WorkStore
    let point: CrashPoint

    private func pass<Result: Sendable>(
        _ call: () async throws(WorkStoreError) -> Result
    ) async throws(WorkStoreError) -> Result {
        if point.isCrashed() { throw .stopped }
        let result = try await call()
        if point.isCrashed() { throw .stopped }
        return result
    }

    func job(_ id: Identifier) async throws(WorkStoreError) -> LocalJob? {
        try await pass { () async throws(WorkStoreError) in try await base.job(id) }
    }

    func openJobs() async throws(WorkStoreError) -> [LocalJob] {
        try await pass { () async throws(WorkStoreError) in try await base.openJobs() }
    }

    func insert(_ job: LocalJob) async throws(WorkStoreError) -> LocalJob {
        try await pass { () async throws(WorkStoreError) in try await base.insert(job) }
    }

    func claim(_ id: Identifier, worker: Identifier, until: Int64, now: Int64) async throws(WorkStoreError) -> Bool {
        try await pass { () async throws(WorkStoreError) in
            try await base.claim(id, worker: worker, until: until, now: now)
        }
    }

    func release(_ id: Identifier, worker: Identifier) async throws(WorkStoreError) {
        try await pass { () async throws(WorkStoreError) in try await base.release(id, worker: worker) }
    }

    func forgetClaims() async throws(WorkStoreError) {
        try await pass { () async throws(WorkStoreError) in try await base.forgetClaims() }
    }

    func save(_ change: JobChange, worker: Identifier) async throws(WorkStoreError) {
        try await pass { () async throws(WorkStoreError) in try await base.save(change, worker: worker) }
    }

    func drop(_ id: Identifier, worker: Identifier) async throws(WorkStoreError) {
        try await pass { () async throws(WorkStoreError) in try await base.drop(id, worker: worker) }
    }

    func fetched(_ id: Identifier) async throws(WorkStoreError) -> [UInt8]? {
        try await pass { () async throws(WorkStoreError) in try await base.fetched(id) }
    }

    func receipt(_ id: Identifier) async throws(WorkStoreError) -> Receipt? {
        try await pass { () async throws(WorkStoreError) in try await base.receipt(id) }
    }

    func submission(_ id: Identifier) async throws(WorkStoreError) -> Submission? {
        try await pass { () async throws(WorkStoreError) in try await base.submission(id) }
    }

    func receipts() async throws(WorkStoreError) -> [Receipt] {
        try await pass { () async throws(WorkStoreError) in try await base.receipts() }
    }

    func apply(_ listing: Listing, origin: Origin, now: Int64) async throws(WorkStoreError) {
        try await pass { () async throws(WorkStoreError) in try await base.apply(listing, origin: origin, now: now) }
    }

    func lastListing() async throws(WorkStoreError) -> Listing? {
        try await pass { () async throws(WorkStoreError) in try await base.lastListing() }
    }

    func wakeUp() async throws(WorkStoreError) {
        try await pass { () async throws(WorkStoreError) in try await base.wakeUp() }
    }

    func value(_ name: String) async throws(WorkStoreError) -> [UInt8]? {
        try await pass { () async throws(WorkStoreError) in try await base.value(name) }
    }

    func setValue(_ name: String, _ bytes: [UInt8]?) async throws(WorkStoreError) {
        try await pass { () async throws(WorkStoreError) in try await base.setValue(name, bytes) }
    }

    func nextNumber(_ name: String) async throws(WorkStoreError) -> Int64 {
        try await pass { () async throws(WorkStoreError) in try await base.nextNumber(name) }
    }

    func erase(keeping names: [String]) async throws(WorkStoreError) {
        try await pass { () async throws(WorkStoreError) in try await base.erase(keeping: names) }
    }
}
