public import Delivery
public import Messages

/// The device's durable memory. Every call is one transaction that is on the disk when it returns.
public protocol WorkStore: Sendable {
    /// `nil` if the job is not known.
    func job(_ id: Identifier) async throws(WorkStoreError) -> LocalJob?
    /// All rows with something left to do, oldest first.
    func openJobs() async throws(WorkStoreError) -> [LocalJob]
    /// Inserts the row unless there is one already; returns the stored one.
    func insert(_ job: LocalJob) async throws(WorkStoreError) -> LocalJob

    /// Takes the job for one worker until then (epoch milliseconds); false while another worker has it.
    func claim(_ id: Identifier, worker: Identifier, until: Int64, now: Int64) async throws(WorkStoreError) -> Bool
    func release(_ id: Identifier, worker: Identifier) async throws(WorkStoreError)
    /// Forgets all claims: only for a process that knows it is the only one, after its start.
    func forgetClaims() async throws(WorkStoreError)

    /// Writes a row and what belongs to it. Throws `.lostClaim` unless the worker still has the job.
    func save(_ change: JobChange, worker: Identifier) async throws(WorkStoreError)
    /// Deletes a row that turned out to be nothing of ours; never one with a receipt.
    func drop(_ id: Identifier, worker: Identifier) async throws(WorkStoreError)

    /// The encrypted job as fetched.
    func fetched(_ id: Identifier) async throws(WorkStoreError) -> [UInt8]?
    func receipt(_ id: Identifier) async throws(WorkStoreError) -> Receipt?
    func submission(_ id: Identifier) async throws(WorkStoreError) -> Submission?
    func receipts() async throws(WorkStoreError) -> [Receipt]

    /// Replaces the last listing and applies it: unknown jobs are inserted, known ones get the event.
    func apply(_ listing: Listing, origin: Origin, now: Int64) async throws(WorkStoreError)
    func lastListing() async throws(WorkStoreError) -> Listing?
    /// Applies `wokenUp` to every open row.
    func wakeUp() async throws(WorkStoreError)

    /// Small settings and secrets of the installation by name.
    func value(_ name: String) async throws(WorkStoreError) -> [UInt8]?
    func setValue(_ name: String, _ bytes: [UInt8]?) async throws(WorkStoreError)
    /// The next number of a sequence that starts at 1; never the same twice.
    func nextNumber(_ name: String) async throws(WorkStoreError) -> Int64
    /// Deletes everything but the values of these names, in one transaction.
    func erase(keeping names: [String]) async throws(WorkStoreError)
}

/// A row and what goes into the store with it.
public struct JobChange: Equatable, Sendable {
    public var job: LocalJob
    /// The encrypted job as fetched; an empty one forgets it.
    public var fetched: [UInt8]?
    public var receipt: Receipt?
    public var submission: Submission?

    public init(
        _ job: LocalJob, fetched: [UInt8]? = nil, receipt: Receipt? = nil, submission: Submission? = nil
    ) {
        self.job = job
        self.fetched = fetched
        self.receipt = receipt
        self.submission = submission
    }

    /// Nobody will ask for the ciphertexts any more: the store forgets them.
    public var endsSubmission: Bool {
        (job.fanout == .over || job.fanout == .notNeeded) && job.report == .sent
    }
}

/// The pending set as the server last told it, whole.
public struct Listing: Equatable, Sendable {
    /// `nil` when the set changed between two pages: then the next sync asks for all of it.
    public var etag: String?
    public var entries: [DeviceAPIListing.Entry]

    public init(etag: String?, entries: [DeviceAPIListing.Entry]) {
        self.etag = etag
        self.entries = entries
    }
}

/// Why the store did not do it.
public enum WorkStoreError: Error, Equatable, Sendable {
    /// Another worker took the job over: stop at once.
    case lostClaim
    /// A receipt of this job is there already, with another digest.
    case conflict
    case full
    /// The file is not what we wrote: the host has to enrol anew, nothing is reset silently.
    case damaged(String)
    case failed(String)
    /// The window of execution ended.
    case stopped

    /// Trying again does not mend it.
    public var isDamage: Bool { if case .damaged = self { true } else { false } }
}
