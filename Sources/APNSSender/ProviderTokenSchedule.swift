/// When a provider token is made anew (B6): Apple refuses one older than an hour, and a new one more often than every 20
/// minutes. Monotonic time only: a step of the wall clock must not make tokens.
struct ProviderTokenSchedule: Equatable {
    /// Never sooner after the last one than this.
    static let floor = Duration.seconds(20 * 60)
    /// Renewed at an age between these, drawn for each token so that processes do not move in step.
    static let renewal: ClosedRange<Duration> = .seconds(40 * 60) ... .seconds(55 * 60)

    private var mintedAt: ContinuousClock.Instant?
    private var renewAt: ContinuousClock.Instant?
    private var heldUntil: ContinuousClock.Instant?

    /// Nil before the first token.
    func age(now: ContinuousClock.Instant) -> Duration? { mintedAt.map { now - $0 } }

    /// Whether the next request needs a new token. `isRefused`: the provider called the present one expired.
    func mustMint(isRefused: Bool, now: ContinuousClock.Instant) -> Bool {
        guard let mintedAt, let renewAt else { return true }
        if let heldUntil, now < heldUntil { return false }
        return now >= (isRefused ? mintedAt + Self.floor : renewAt)
    }

    /// `jitter` is a random number from 0 to 1.
    mutating func minted(now: ContinuousClock.Instant, jitter: Double) {
        mintedAt = now
        renewAt = now + Self.renewal.lowerBound + (Self.renewal.upperBound - Self.renewal.lowerBound) * jitter
        heldUntil = nil
    }

    /// The provider saw too many new tokens.
    mutating func held(now: ContinuousClock.Instant) { heldUntil = now + Self.floor }
}
