/// How many more hints one route's queue may be given (decision 2): ready + the relay's own unconfirmed stay under a cap,
/// which is what left the queue lately, within limits.
///
/// The counts are those of the last answer; what this relay confirmed since is added to them. Another relay's messages
/// show up with the next answer: the cap is soft by what is on its way.
public struct RelayQueueFlow: Equatable, Sendable {
    public struct Limits: Equatable, Sendable {
        public var most = 5000
        public var least = 100
        /// How far back "what left the queue" looks.
        public var memory: Duration = .seconds(30)

        public init() {}
    }

    private struct Departure: Equatable, Sendable {
        let at: ContinuousClock.Instant
        let count: Int
    }

    public var limits: Limits
    /// Nil: not asked yet, or the queue does not exist.
    public private(set) var ready: Int?
    public private(set) var consumers = 0
    private var askedAt: ContinuousClock.Instant?
    /// Claimed by this relay and not yet confirmed, returned or given back.
    public private(set) var unconfirmed = 0
    private var confirmedSinceQuestion = 0
    private var confirmedBeforeQuestion = 0
    private var departures: [Departure] = []

    public init(limits: Limits = Limits()) { self.limits = limits }

    /// Right before the broker is asked.
    public mutating func asking() {
        confirmedBeforeQuestion += confirmedSinceQuestion
        confirmedSinceQuestion = 0
    }

    /// The broker's answer to a question asked at `instant`; nil for a queue that does not exist.
    public mutating func answered(ready: Int?, consumers: Int, askedAt instant: ContinuousClock.Instant) {
        if let before = self.ready, let ready {
            let left = before + confirmedBeforeQuestion - ready
            if left > 0 { departures.append(Departure(at: instant, count: left)) }
        }
        departures.removeAll { instant - $0.at > limits.memory }
        confirmedBeforeQuestion = 0
        self.ready = ready
        self.consumers = consumers
        askedAt = instant
    }

    /// Nobody knows what the queue holds any more.
    public mutating func forget() {
        ready = nil
        consumers = 0
        confirmedBeforeQuestion = 0
        confirmedSinceQuestion = 0
    }

    public mutating func claimed(_ count: Int) { unconfirmed += count }

    public mutating func confirmed() {
        unconfirmed -= 1
        confirmedSinceQuestion += 1
    }

    /// Not in the queue: returned, refused, never written. An unknown one may be in it: `confirmed()`.
    public mutating func notQueued() { unconfirmed -= 1 }

    public var cap: Int {
        let left = departures.reduce(0) { $0 + $1.count }
        return min(limits.most, max(limits.least, left))
    }

    /// How many may be claimed now; 0 without a fresh answer or without a consumer.
    public func capacity(at now: ContinuousClock.Instant, freshFor: Duration) -> Int {
        guard let ready, let askedAt, now - askedAt <= freshFor, consumers > 0 else { return 0 }
        return max(0, cap - ready - confirmedBeforeQuestion - confirmedSinceQuestion - unconfirmed)
    }
}
