/// Spreads letters evenly over the time. What a stall cost is caught up for half a second's letters at most: a database
/// that was away for a minute gets no minute's worth of letters at once when it is back.
struct ReplayPace {
    /// Letters a second.
    let rate: Int
    /// When the next letters may go; nil before the first.
    private var due: ContinuousClock.Instant?

    static let longestCatchUp = Duration.milliseconds(500)

    init(rate: Int) { self.rate = rate }

    /// A tenth of a second's letters, so that the rate is even.
    var batch: Int { max(1, rate / 10) }

    /// So many letters are taken now, after the pause that was asked for.
    mutating func took(_ letters: Int, at now: ContinuousClock.Instant) {
        due = max(due ?? now, now - Self.longestCatchUp) + .seconds(1) * Double(letters) / Double(rate)
    }

    /// How long to wait before the next.
    func pause(at now: ContinuousClock.Instant) -> Duration { due.map { max(.zero, $0 - now) } ?? .zero }
}
