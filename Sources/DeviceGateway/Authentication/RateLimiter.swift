import Delivery
import Messages
import Synchronization

/// One bucket a device, of the devices that called lately. Counted after authentication, so nobody can use up another's.
final class RateLimiter: Sendable {
    private let rate: Double
    private let burst: Double
    private let capacity: Int
    private let buckets = Mutex<[Identifier: TokenBucket]>([:])

    init(rate: Double, burst: Double, capacity: Int = 100_000) {
        self.rate = rate
        self.burst = burst
        self.capacity = capacity
    }

    func check(_ device: Identifier, now: ContinuousClock.Instant = .now) throws(Problem) {
        let wait = buckets.withLock { buckets -> Duration? in
            // Forgetting all gives everybody a full bucket once: harmless, and rarer than capacity over rate.
            if buckets.count >= capacity { buckets.removeAll(keepingCapacity: true) }
            return buckets[device, default: TokenBucket(rate: rate, burst: burst, now: now)].take(now: now)
        }
        guard let wait else { return }
        throw Problem(.tooManyRequests, retryAfter: max(1, Int((wait / .seconds(1)).rounded(.up))))
    }
}
