/// How fast hints may go out: evenly, at a full rate that is climbed to in a minute, because providers ask for traffic
/// that grows and not for traffic that jumps (FCM: from nothing to the full rate in 60 s or more). After a silence as
/// long as the climb, and after the provider said that it is too much, the climb begins again.
struct SendingRate: Equatable {
    /// Part of the full rate that is always allowed.
    private static let least = 0.01

    /// Hints a second.
    private let full: Double
    private let ramp: Duration
    /// So far a hint may be ahead of the even rate: what waited a moment goes out at once.
    private let burst = Duration.milliseconds(100)
    /// Part of the full rate at `began`.
    private var base: Double
    private var began: ContinuousClock.Instant
    private var next: ContinuousClock.Instant
    private var lastSlowed: ContinuousClock.Instant?

    init(full: Double, ramp: Duration, now: ContinuousClock.Instant) {
        self.full = max(full, 0.001)
        self.ramp = max(ramp, .milliseconds(1))
        base = 0
        began = now
        next = now
    }

    /// When the next hint may start; counts it as started.
    mutating func reserve(now: ContinuousClock.Instant) -> ContinuousClock.Instant {
        if now - next > ramp {
            base = 0
            began = now
        }
        let slot = max(next, now - burst)
        next = slot + .seconds(1 / (full * part(at: slot)))
        return max(slot, now)
    }

    /// The provider said that the whole project sends too much: half as fast from now on, and up again from there.
    /// Answers to hints that were open together count once.
    mutating func slowed(now: ContinuousClock.Instant) {
        if let lastSlowed, now - lastSlowed < .seconds(1) { return }
        lastSlowed = now
        base = part(at: now) / 2
        began = now
    }

    private func part(at instant: ContinuousClock.Instant) -> Double {
        min(1, max(Self.least, base + (instant - began) / ramp))
    }
}
