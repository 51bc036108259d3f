/// How a device behaves; times in milliseconds.
public struct DeviceSettings: Equatable, Sendable {
    /// Pinned author keys by id (K7): a job that none of them signed is refused.
    public var authors: [String: [UInt8]]
    public var schedule = RetrySchedule()
    /// How long a worker may be silent before another takes its job over.
    public var claimTime: Int64 = 60_000
    /// Jobs worked on at once.
    public var concurrency = 3
    /// At most one sync in this time is started by hints that cannot be used or that tell of other jobs.
    public var coalescing: Int64 = 30_000
    /// True if no other process opens the store: claims of a process that died are then forgotten at start.
    public var isOnlyProcess = true

    public init(authors: [String: [UInt8]]) { self.authors = authors }
}
