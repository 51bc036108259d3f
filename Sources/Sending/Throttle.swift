/// How many requests of a route may be open at once: all that the consumer brings, until the provider says that a whole
/// project sends too much. Then half as many, at most once a second, and slowly more again with every acceptance.
struct Throttle: Equatable {
    private let maximum: Int
    private(set) var allowed: Int
    private var credit = 0
    private var lastSlowed: ContinuousClock.Instant?

    init(maximum: Int) {
        self.maximum = max(1, maximum)
        allowed = self.maximum
    }

    /// Answers of requests that were open together count once.
    mutating func slowed(now: ContinuousClock.Instant) {
        if let lastSlowed, now - lastSlowed < .seconds(1) { return }
        lastSlowed = now
        allowed = max(1, allowed / 2)
        credit = 0
    }

    /// One more is allowed after as many acceptances as are allowed now.
    mutating func accepted() {
        guard allowed < maximum else { return }
        credit += 1
        guard credit >= allowed else { return }
        credit = 0
        allowed += 1
    }
}
