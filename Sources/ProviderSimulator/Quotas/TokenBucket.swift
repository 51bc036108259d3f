/// So many at once, then one more whenever an equal share of the period has passed. Pure.
struct TokenBucket: Sendable {
    private static let hair = 1e-9
    private let capacity: Double
    private let perMillisecond: Double
    private var level: Double
    private var at: Int64

    /// Full at first.
    init(burst: Int, perMilliseconds period: Int64, of count: Int, now: Int64) {
        capacity = Double(burst)
        perMillisecond = Double(count) / Double(period)
        level = capacity
        at = now
    }

    private mutating func refill(_ now: Int64) {
        level = min(capacity, level + Double(max(0, now - at)) * perMillisecond)
        at = now
    }

    /// Milliseconds until one more is allowed; 0 if it was taken now.
    mutating func take(_ now: Int64) -> Int64 {
        refill(now)
        // A hair less than a whole one is one: sums of small parts are never exact.
        if level >= 1 - Self.hair {
            level = max(0, level - 1)
            return 0
        }
        return max(1, Int64(((1 - Self.hair - level) / perMillisecond).rounded(.up)))
    }

    /// Nothing was taken lately: the same as none.
    mutating func isFull(_ now: Int64) -> Bool {
        refill(now)
        return level >= capacity - Self.hair
    }
}
