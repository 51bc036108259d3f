/// How many calls one device may make: a full bucket at first, refilled evenly.
struct TokenBucket: Equatable, Sendable {
    /// Calls a second.
    let rate: Double
    /// Calls at once.
    let burst: Double
    private var level: Double
    private var at: ContinuousClock.Instant

    init(rate: Double, burst: Double, now: ContinuousClock.Instant) {
        self.rate = rate
        self.burst = burst
        level = burst
        at = now
    }

    /// Nil = go on; else how long until the next call may be made.
    mutating func take(now: ContinuousClock.Instant) -> Duration? {
        let passed = (now - at) / .seconds(1)
        level = min(burst, level + max(0, passed) * rate)
        at = now
        guard level < 1 else {
            level -= 1
            return nil
        }
        return .seconds((1 - level) / rate)
    }
}
