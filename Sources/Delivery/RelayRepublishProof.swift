/// When the relay may publish again what was published before and never answered (decision 2). Instants are the
/// database's, in microseconds since 1970, read before the broker was asked.
public struct RelayRepublishProof: Equatable, Sendable {
    /// One of the three queues that an unanswered hint could still be in, or its outcome.
    public struct Sight: Equatable, Sendable {
        /// The last instant at which it was seen empty with a consumer.
        public private(set) var emptySince: Int64?
        /// When it was last seen with a consumer in every answer up to now.
        public private(set) var hasConsumer = false

        public init() {}

        public mutating func seen(ready: Int, consumers: Int, at instant: Int64) {
            hasConsumer = consumers > 0
            if ready == 0, consumers > 0 { emptySince = instant }
        }

        /// The queue does not exist, or could not be asked about.
        public mutating func lost() { hasConsumer = false }
    }

    /// A lease that ended by this instant is proven over; nil if none is.
    public let proven: Int64?
    /// A row published by this instant is republished whatever the queues hold; nil if a queue has no consumer.
    public let stale: Int64?

    public init(proven: Int64?, stale: Int64?) {
        self.proven = proven
        self.stale = stale
    }

    /// `margin` lies between a deadline and the sight that counts; `staleAfter` between a publish and giving up.
    public init(
        route: Sight, outcomes: Sight, deadIndex: Sight, now: Int64, margin: Duration = .seconds(30),
        staleAfter: Duration = .seconds(1800)
    ) {
        let sights = [route, outcomes, deadIndex]
        let empty = sights.compactMap(\.emptySince)
        proven = empty.count == sights.count ? empty.min()! - Self.microseconds(margin) : nil
        stale = sights.allSatisfy(\.hasConsumer) ? now - Self.microseconds(staleAfter) : nil
    }

    private static func microseconds(_ duration: Duration) -> Int64 {
        duration.components.seconds * 1_000_000 + duration.components.attoseconds / 1_000_000_000_000
    }
}
