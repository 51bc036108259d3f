/// When an access token is fetched anew and how long it may be used. Monotonic time only.
struct AccessTokenSchedule: Equatable {
    /// Not used in the last part of its life, at most a tenth: the request has to arrive too.
    static let margin = Duration.seconds(30)
    /// Pause after a failed fetch, doubling.
    static let firstPause = Duration.seconds(1)
    static let longestPause = Duration.seconds(60)

    private var fetchedAt: ContinuousClock.Instant?
    private var life = Duration.zero
    private var failures = 0
    private var notBefore: ContinuousClock.Instant?
    /// Its account is no longer the one in use: it serves until another has come.
    private var isReplaced = false

    /// The next fetch is due then: at two thirds of the life, or after the pause of a failure.
    func dueAt(now: ContinuousClock.Instant) -> ContinuousClock.Instant {
        guard let fetchedAt, !isReplaced else { return notBefore ?? now }
        return max(fetchedAt + life * (2.0 / 3.0), notBefore ?? fetchedAt)
    }

    func isUsable(now: ContinuousClock.Instant) -> Bool {
        guard let fetchedAt else { return false }
        return now < fetchedAt + life - min(Self.margin, life * 0.1)
    }

    /// No fetch before this, because the last one failed.
    func isWaiting(now: ContinuousClock.Instant) -> Bool { notBefore.map { now < $0 } ?? false }

    func age(now: ContinuousClock.Instant) -> Duration? { fetchedAt.map { now - $0 } }

    mutating func fetched(now: ContinuousClock.Instant, life: Duration) {
        self = AccessTokenSchedule()
        fetchedAt = now
        self.life = life
    }

    /// `jitter` is a random number from 0 to 1.
    mutating func failed(now: ContinuousClock.Instant, jitter: Double) {
        let pause = min(Self.longestPause, Self.firstPause * (1 << min(failures, 10)))
        failures += 1
        notBefore = now + pause * (0.5 + 0.5 * jitter)
    }

    /// There is another account: its token is fetched at once, while this one serves.
    mutating func replaced() {
        isReplaced = true
        notBefore = nil
    }

    /// The provider refused it: a new one at once.
    mutating func refused() {
        fetchedAt = nil
        notBefore = nil
    }
}
