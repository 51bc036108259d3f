public import Delivery
public import DeviceKit
import Messages

/// The content of a device's store as a value: copied, it is what a disk holds at one moment.
public struct MemoryImage: Sendable {
    private struct Claim {
        var worker: Identifier
        var until: Int64
    }

    private var jobs: [Identifier: LocalJob] = [:]
    private var claims: [Identifier: Claim] = [:]
    private var bodies: [Identifier: [UInt8]] = [:]
    private var receiptsByJob: [Identifier: Receipt] = [:]
    private var submissions: [Identifier: Submission] = [:]
    private var listing: Listing?
    private var values: [String: [UInt8]] = [:]
    private var numbers: [String: Int64] = [:]

    public init() {}

    public func job(_ id: Identifier) throws(WorkStoreError) -> LocalJob? { jobs[id] }

    public func openJobs() throws(WorkStoreError) -> [LocalJob] {
        jobs.values.filter(\.isOpen).sorted { ($0.createdAt, $0.job) < ($1.createdAt, $1.job) }
    }

    public mutating func insert(_ job: LocalJob) throws(WorkStoreError) -> LocalJob {
        if let stored = jobs[job.job] { return stored }
        jobs[job.job] = job
        return job
    }

    public mutating func claim(
        _ id: Identifier, worker: Identifier, until: Int64, now: Int64
    ) throws(WorkStoreError) -> Bool {
        if let claim = claims[id], claim.worker != worker, claim.until > now { return false }
        guard jobs[id] != nil else { return false }
        claims[id] = Claim(worker: worker, until: until)
        return true
    }

    public mutating func release(_ id: Identifier, worker: Identifier) throws(WorkStoreError) {
        if claims[id]?.worker == worker { claims[id] = nil }
    }

    public mutating func forgetClaims() throws(WorkStoreError) { claims = [:] }

    public mutating func save(_ change: JobChange, worker: Identifier) throws(WorkStoreError) {
        let id = change.job.job
        guard claims[id]?.worker == worker else { throw .lostClaim }
        if let receipt = change.receipt {
            if let stored = receiptsByJob[id], stored.digest != receipt.digest { throw .conflict }
            receiptsByJob[id] = receipt
        }
        jobs[id] = change.job
        if let body = change.fetched { bodies[id] = body.isEmpty ? nil : body }
        if let submission = change.submission, submissions[id] == nil { submissions[id] = submission }
        if change.endsSubmission { submissions[id] = nil }
    }

    public mutating func drop(_ id: Identifier, worker: Identifier) throws(WorkStoreError) {
        guard claims[id]?.worker == worker else { throw .lostClaim }
        guard receiptsByJob[id] == nil else { throw .conflict }
        jobs[id] = nil
        claims[id] = nil
        bodies[id] = nil
    }

    public func fetched(_ id: Identifier) throws(WorkStoreError) -> [UInt8]? { bodies[id] }
    public func receipt(_ id: Identifier) throws(WorkStoreError) -> Receipt? { receiptsByJob[id] }
    public func submission(_ id: Identifier) throws(WorkStoreError) -> Submission? { submissions[id] }
    public func receipts() throws(WorkStoreError) -> [Receipt] {
        receiptsByJob.values.sorted { $0.job < $1.job }
    }

    public mutating func apply(_ listing: Listing, origin: Origin, now: Int64) throws(WorkStoreError) {
        self.listing = listing
        for entry in listing.entries {
            if jobs[entry.job] == nil { jobs[entry.job] = LocalJob(listed: entry, origin: origin, now: now) }
            jobs[entry.job]?.apply(.listed(entry))
        }
    }

    public func lastListing() throws(WorkStoreError) -> Listing? { listing }

    public mutating func wakeUp() throws(WorkStoreError) {
        for (id, job) in jobs where job.isOpen { jobs[id]?.apply(.wokenUp) }
    }

    public func value(_ name: String) throws(WorkStoreError) -> [UInt8]? { values[name] }
    public mutating func setValue(_ name: String, _ bytes: [UInt8]?) throws(WorkStoreError) { values[name] = bytes }

    public mutating func nextNumber(_ name: String) throws(WorkStoreError) -> Int64 {
        let number = numbers[name, default: 0] + 1
        numbers[name] = number
        return number
    }

    public mutating func erase(keeping names: [String]) throws(WorkStoreError) {
        let kept = values.filter { names.contains($0.key) }
        self = MemoryImage()
        values = kept
    }
}
