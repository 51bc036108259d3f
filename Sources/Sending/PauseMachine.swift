public import Delivery

/// A route's pause in one process (table (e) of the states): when it stops, when it asks, when it goes on.
public struct PauseMachine: Equatable, Sendable {
    public struct Pause: Equatable, Sendable {
        public var reason: String
        public var extent: PauseExtent
        /// Probes that failed so far.
        public var failures: Int
        /// When the next probe is due.
        public var until: ContinuousClock.Instant
    }

    public enum State: Equatable, Sendable {
        /// Can transition to `paused` when a fault happens.
        case running
        /// Can transition to `probingCredential` when its time has come.
        case paused(Pause)
        /// Can transition to `probingHint` when the credential is good, or back to `paused`.
        case probingCredential(Pause)
        /// Can transition to `running` when a fresh hint is answered well, or back to `paused`.
        case probingHint(Pause)
    }

    public enum Action: Equatable, Sendable {
        case none
        /// Cancel the consumer; give back what is not started.
        case stopConsuming
        case probeCredential
        /// Start a consumer with prefetch 1.
        case consumeOne
        /// Nothing to do but to say so: the consumer of the probe goes on.
        case resumed
    }

    public private(set) var state = State.running
    private let first: Duration
    private let longest: Duration

    public init(first: Duration, longest: Duration) {
        self.first = first
        self.longest = longest
    }

    /// The pause, if hints that are not started have to be given back.
    public var refusal: Pause? {
        switch state {
        case .running, .probingHint: nil
        case .paused(let pause), .probingCredential(let pause): pause
        }
    }

    /// The pause of which the next hint is the probe.
    public var probed: Pause? { if case .probingHint(let pause) = state { pause } else { nil } }

    public var pause: Pause? { refusal ?? probed }

    // MARK: Events; `jitter` is a random number from 0 to 1.

    public mutating func faultHappened(
        _ reason: String, _ extent: PauseExtent, now: ContinuousClock.Instant, jitter: Double
    ) -> Action {
        switch state {
        case .running:
            state = .paused(pause(reason, extent, failures: 0, now: now, jitter: jitter))
            return .stopConsuming
        case .probingHint(let old):
            state = .paused(pause(reason, extent, failures: old.failures + 1, now: now, jitter: jitter))
            return .stopConsuming
        case .paused, .probingCredential:
            // Answers of requests that were under way: the pause is known.
            return .none
        }
    }

    public mutating func timePassed(now: ContinuousClock.Instant) -> Action {
        guard case .paused(let pause) = state, pause.until <= now else { return .none }
        state = .probingCredential(pause)
        return .probeCredential
    }

    public mutating func credentialWasGood() -> Action {
        guard case .probingCredential(let pause) = state else { return .none }
        state = .probingHint(pause)
        return .consumeOne
    }

    public mutating func credentialWasRefused(
        _ reason: String, now: ContinuousClock.Instant, jitter: Double
    ) -> Action {
        guard case .probingCredential(let old) = state else { return .none }
        state = .paused(pause(reason, old.extent, failures: old.failures + 1, now: now, jitter: jitter))
        return .none
    }

    /// A fresh hint was accepted, or its token is dead: either proves everything but the token.
    public mutating func probeSucceeded() -> Action {
        guard case .probingHint = state else { return .none }
        state = .running
        return .resumed
    }

    /// A fresh hint got any other answer that is not a fault of its own.
    public mutating func probeFailed(
        _ reason: String, now: ContinuousClock.Instant, jitter: Double
    ) -> Action {
        guard case .probingHint(let old) = state else { return .none }
        return faultHappened(reason, old.extent, now: now, jitter: jitter)
    }

    private func pause(
        _ reason: String, _ extent: PauseExtent, failures: Int, now: ContinuousClock.Instant, jitter: Double
    ) -> Pause {
        let wait = min(longest, first * (1 << min(failures, 16)))
        return Pause(
            reason: reason, extent: extent, failures: failures, until: now + wait * (0.75 + 0.5 * jitter))
    }
}
