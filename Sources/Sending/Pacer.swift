import Synchronization

/// Keeps what one process sends under its share of a provider's quota. Shared by the routes of a project.
public final class Pacer: Sendable {
    private let rate: Mutex<SendingRate>

    /// `perSecond` is this process's share; `ramp` is how long it takes to get there from nothing.
    public init(perSecond: Double, ramp: Duration) {
        rate = Mutex(SendingRate(full: perSecond, ramp: ramp, now: .now))
    }

    /// When the next hint may start; counts it as started.
    func reserve() -> ContinuousClock.Instant { rate.withLock { $0.reserve(now: .now) } }

    /// The provider said that the whole project sends too much.
    func slowed() { rate.withLock { $0.slowed(now: .now) } }
}
