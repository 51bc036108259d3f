/// When the relay may publish again what was claimed before and never answered (decision 2). Instants are the
/// database's, in microseconds since 1970, read before the broker was asked.
public struct RelayRepublishProof: Equatable, Sendable {
    /// One of the three queues that an unanswered hint could still be in, or its outcome.
    public struct Sight: Equatable, Sendable {
        /// When it was last seen with a consumer in every answer up to now.
        public private(set) var hasConsumer = false
        private var lastSeen: Int64?
        /// Instants at which it was empty, about a second apart, since when no answer lacked a consumer or was missing.
        private var empties: [Int64] = []

        /// Answers further apart leave unseen what was between them.
        private static let longestGap: Int64 = 5_000_000
        /// An hour of them, which is the longest margin.
        private static let mostEmpties = 3600

        public init() {}

        public mutating func seen(ready: Int, consumers: Int, at instant: Int64) {
            if consumers == 0 || instant - (lastSeen ?? instant) > Self.longestGap { empties = [] }
            lastSeen = instant
            hasConsumer = consumers > 0
            guard ready == 0, consumers > 0 else { return }
            guard instant - (empties.last ?? 0) >= 1_000_000 else { return }
            empties.append(instant)
            if empties.count > Self.mostEmpties { empties.removeFirst() }
        }

        /// The queue does not exist, or could not be asked about.
        public mutating func lost() {
            hasConsumer = false
            empties = []
        }

        /// What was published to it by this instant, its consumers have dealt with: it was empty then, and in the `margin`
        /// since, they stopped at no time, as a recorder does that cannot write. An empty queue alone says nothing of what
        /// a consumer, perhaps a new one, has just taken into its hands.
        func dealtWith(now: Int64, margin: Int64) -> Int64? { empties.last { $0 <= now - margin } }
    }

    /// A publish that was confirmed, or of which nobody knows, is proven over if its lease ended by this instant; nil if
    /// none is.
    public let proven: Int64?
    /// A lease that ended by this instant without a word has left no outcome that is not written. Nothing has to be known
    /// of the route's queue: no sender starts what it still holds, because its deadline is over.
    public let recorded: Int64?
    /// What was published, or leased to, by this instant goes again whatever the queues hold; nil if a queue has no consumer.
    public let stale: Int64?

    public init(proven: Int64?, recorded: Int64?, stale: Int64?) {
        self.proven = proven
        self.recorded = recorded
        self.stale = stale
    }

    /// `margin` lies between a deadline and the sight that counts; `staleAfter` between a publish and giving up.
    public init(
        route: Sight, outcomes: Sight, deadIndex: Sight, now: Int64, margin: Duration = .seconds(30),
        staleAfter: Duration = .seconds(1800)
    ) {
        let margin = Self.microseconds(margin)
        recorded = Self.dealtWith([outcomes, deadIndex], now, margin)
        proven = Self.dealtWith([route, outcomes, deadIndex], now, margin)
        let haveConsumers = [route, outcomes, deadIndex].allSatisfy(\.hasConsumer)
        stale = haveConsumers ? now - Self.microseconds(staleAfter) : nil
    }

    /// By all of them.
    private static func dealtWith(_ sights: [Sight], _ now: Int64, _ margin: Int64) -> Int64? {
        let instants = sights.compactMap { $0.dealtWith(now: now, margin: margin) }
        return instants.count == sights.count ? instants.min() : nil
    }

    private static func microseconds(_ duration: Duration) -> Int64 {
        duration.components.seconds * 1_000_000 + duration.components.attoseconds / 1_000_000_000_000
    }
}
