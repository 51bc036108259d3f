public import Delivery
public import DeviceKit

/// Keeps everything in memory: for tests and for fleets of phones that need not survive their process.
public actor MemoryStore: WorkStore {
    private var image: MemoryImage

    public init(_ image: MemoryImage = MemoryImage()) { self.image = image }

    public func job(_ id: Identifier) throws(WorkStoreError) -> LocalJob? { try image.job(id) }
    public func openJobs() throws(WorkStoreError) -> [LocalJob] { try image.openJobs() }
    public func insert(_ job: LocalJob) throws(WorkStoreError) -> LocalJob { try image.insert(job) }

    public func claim(_ id: Identifier, worker: Identifier, until: Int64, now: Int64) throws(WorkStoreError) -> Bool {
        try image.claim(id, worker: worker, until: until, now: now)
    }

    public func release(_ id: Identifier, worker: Identifier) throws(WorkStoreError) {
        try image.release(id, worker: worker)
    }

    public func forgetClaims() throws(WorkStoreError) { try image.forgetClaims() }

    public func save(_ change: JobChange, worker: Identifier) throws(WorkStoreError) {
        try image.save(change, worker: worker)
    }

    public func drop(_ id: Identifier, worker: Identifier) throws(WorkStoreError) {
        try image.drop(id, worker: worker)
    }

    public func fetched(_ id: Identifier) throws(WorkStoreError) -> [UInt8]? { try image.fetched(id) }
    public func receipt(_ id: Identifier) throws(WorkStoreError) -> Receipt? { try image.receipt(id) }
    public func submission(_ id: Identifier) throws(WorkStoreError) -> Submission? { try image.submission(id) }
    public func receipts() throws(WorkStoreError) -> [Receipt] { try image.receipts() }

    public func apply(_ listing: Listing, origin: Origin, now: Int64) throws(WorkStoreError) {
        try image.apply(listing, origin: origin, now: now)
    }

    public func lastListing() throws(WorkStoreError) -> Listing? { try image.lastListing() }
    public func wakeUp() throws(WorkStoreError) { try image.wakeUp() }
    public func value(_ name: String) throws(WorkStoreError) -> [UInt8]? { try image.value(name) }

    public func setValue(_ name: String, _ bytes: [UInt8]?) throws(WorkStoreError) {
        try image.setValue(name, bytes)
    }

    public func nextNumber(_ name: String) throws(WorkStoreError) -> Int64 { try image.nextNumber(name) }
    public func erase(keeping names: [String]) throws(WorkStoreError) { try image.erase(keeping: names) }
}
