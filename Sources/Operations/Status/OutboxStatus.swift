public import Delivery
public import Postgres

/// The outbox as an operator sees it.
public struct OutboxStatus: Equatable, Sendable {
    /// The database's clock.
    public var now: Timestamp
    /// How old the counts are, and how long they took to make.
    public var countAge: Duration
    public var countTook: Duration
    /// Events first, then the routes in the order of their names.
    public var lines: [RouteLine]
    public var broker = BrokerAnswer.notAsked
    public var deadLetters: [DeadLetterCount] = []
    public var leases: [LeaseCount] = []
    public var sessions: [ServiceSessions] = []
    public var health = Health()

    /// Queues of the services behind the routes.
    public static let serviceQueues = ["recorder.outcomes", "recorder.acks", "dead.index", "coordinator.events"]

    public struct Deferral: Equatable, Sendable {
        /// Beginning of the last outcome; empty: no outcome, the token is set aside or cools down.
        public let reason: String
        public let rows: Int
        public let nextDueAt: Timestamp
    }

    public struct DeadLetterCount: Equatable, Sendable {
        public let queue: String
        public let open: Int
        /// Ordinary uninstalls, which nobody has to look at.
        public let uninstalled: Int
    }

    public struct LeaseCount: Equatable, Sendable {
        /// Nil: all beyond those that are named.
        public let owner: Identifier?
        public let leased: Int
        public let awaiting: Int
    }

    public struct ServiceSessions: Equatable, Sendable {
        /// Without `md_`.
        public let service: String
        public let count: Int
    }

    /// What of the database itself makes the outbox slow or full.
    public struct Health: Equatable, Sendable {
        public var snapshotAge: Duration?
        public var snapshotOwner = ""
        public var deadRows = 0
        public var vacuumedAgo: Duration?
        public var partitions = 0
        public var partitionsUntil: Timestamp?
        public var hasStrayRows = false

        public init() {}
    }
}

/// One route of the outbox, or its events.
public struct RouteLine: Equatable, Sendable {
    /// Nil: events.
    public var route: Route?
    public var number: Int16
    public var due = 0
    public var leased = 0
    public var awaiting = 0
    public var lapsed = 0
    public var deferred = 0
    public var oldestAge: Duration?
    /// A second, of the last one to two minutes.
    public var acceptedRate = 0.0
    public var deferrals: [OutboxStatus.Deferral] = []
    public var hand = HandPause()
    public var seen = SeenPause()

    public init(_ route: Route?, number: Int16) {
        self.route = route
        self.number = number
    }

    public var name: String { route?.description ?? "events" }
    public var waiting: Int { due + leased + awaiting + lapsed + deferred }
}

/// What an operator wants of a route (states.md (e)).
public struct HandPause: Equatable, Sendable {
    public var isPaused = false
    public var by: String?
    public var since: Timestamp?
    public var reason: String?

    public init() {}
}

/// What the senders said of it.
public struct SeenPause: Equatable, Sendable {
    public var isPaused = false
    public var reason: String?
    public var since: Timestamp?
    public var lastProbe: Timestamp?
    public var instance: String?

    public init() {}
}
