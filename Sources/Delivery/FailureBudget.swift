/// How much a hint may fail before it ends `failed(exhausted)`: that many charged failures or that long after the first,
/// whichever is later (B1). The recorder's SQL compares the entry's counters with these numbers.
public struct FailureBudget: Equatable, Sendable {
    public var failures = 20
    public var span: Duration = .seconds(24 * 3600)
    /// The provider called a token dead that was registered later than it says: so many times an entry may hear that.
    public var disputes = 3

    public init() {}
}
