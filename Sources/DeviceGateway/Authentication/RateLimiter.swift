import Messages
import Synchronization

/// One bucket for each who called lately: a device (counted after authentication, so nobody can use up another's), an address,
/// a ticket.
final class RateLimiter<Caller: Hashable & Sendable>: Sendable {
    private let rate: Double
    private let burst: Double
    private let capacity: Int
    private let buckets = Mutex<[Caller: TokenBucket]>([:])

    init(rate: Double, burst: Double, capacity: Int = 100_000) {
        self.rate = rate
        self.burst = burst
        self.capacity = capacity
    }

    func check(_ caller: Caller, now: ContinuousClock.Instant = .now) throws(Problem) {
        let wait = buckets.withLock { buckets -> Duration? in
            // Forgetting all gives everybody a full bucket once: harmless, and rarer than capacity over rate.
            if buckets.count >= capacity { buckets.removeAll(keepingCapacity: true) }
            return buckets[caller, default: TokenBucket(rate: rate, burst: burst, now: now)].take(now: now)
        }
        guard let wait else { return }
        throw Problem(.tooManyRequests, retryAfter: max(1, Int((wait / .seconds(1)).rounded(.up))))
    }
}
