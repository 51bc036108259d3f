/// When to try a job again: full jitter below a bound that doubles.
///
/// | failed attempts | 1 | 2 | 3 | 4 | … | 10 and more |
/// |---|---|---|---|---|---|---|
/// | at most, seconds | 2 | 4 | 8 | 16 | … | 900 |
public struct RetrySchedule: Equatable, Sendable {
    /// Milliseconds.
    public var base: Int64 = 2_000
    public var cap: Int64 = 900_000
    /// Never sooner than this, so that a jitter near zero does not spin.
    public var floor: Int64 = 250
    /// Without network nothing was tried; the host wakes us when it is back, this is only the net under it.
    public var offline: Int64 = 5_000
    /// Before the first unlock.
    public var locked: Int64 = 30_000

    public init() {}

    /// Milliseconds after the given number of failed attempts; `jitter` is from 0 up to 1. A server's `Retry-After` is a
    /// floor, so that a crowd spreads behind it.
    public func delay(attempt: Int, jitter: Double, retryAfter: Int64? = nil) -> Int64 {
        let doublings = min(max(attempt - 1, 0), 30)
        let bound = min(base << Int64(doublings), cap)
        let wait = max(floor, Int64(Double(bound) * jitter))
        guard let retryAfter else { return wait }
        return min(max(retryAfter, 0), 3_600_000) + min(wait, 2_000)
    }
}
