public import Delivery
public import Postgres

/// What the database knows of one job and its entries, or of one entry of it.
public struct JobHistory: Equatable, Sendable {
    /// The database's clock.
    public var now: Timestamp
    public var job: Identifier
    public var account: String
    public var documentType: String
    public var createdAt: Timestamp
    public var expiresAt: Timestamp
    public var completedAt: Timestamp?
    public var expiredAt: Timestamp?
    public var cancelledAt: Timestamp?
    public var recipients: Int
    /// Connections of relays to the database; behind a pooler they may be nobody's.
    public var relayConnections = 0
    public var fanout = FanoutHistory()
    public var entries: [EntryHistory] = []
    public var audit: [AuditLine] = []
}

public struct FanoutHistory: Equatable, Sendable {
    /// Of the lease: open, held, done, closed; nil: no fan-out.
    public var leaseState: String?
    public var holder: Identifier?
    public var leaseUntil: Timestamp?
    public var submittedAt: Timestamp?
    public var fannedOutAt: Timestamp?
    public var resendAt: Timestamp?

    public init() {}
}

/// One row of `push_outbox`, with all that belongs to it.
public struct EntryHistory: Equatable, Sendable {
    public var entry: Identifier
    public var createdAt: Timestamp
    public var device: Identifier
    public var platform: String
    public var isDeviceActive: Bool
    /// `job_device.state`.
    public var deviceState: String
    public var claimedAt: Timestamp?
    public var deviceFinishedAt: Timestamp?
    public var failureReason: String?
    public var lateAckAt: Timestamp?
    /// `push_outbox.state`; nil if its day was dropped.
    public var state: String?
    public var reason: String?
    public var providerID: String?
    public var finishedAt: Timestamp?
    public var counters = Counters()
    public var due: DueHistory?
    public var tokens: [TokenHistory] = []
    public var letters: [DeadLetterHistory] = []

    public struct Counters: Equatable, Sendable {
        public var seq = 0
        public var life = 1
        public var failures = 0
        public var silences = 0
        public var crashes = 0
        public var disputes = 0

        public init() {}
    }
}

/// Its row of `due`.
public struct DueHistory: Equatable, Sendable {
    public var route: String
    public var queue: String
    public var dueAt: Timestamp
    public var firstFailedAt: Timestamp?
    public var leaseUntil: Timestamp?
    public var publishedAt: Timestamp?
    public var owner: Identifier?
    public var isLeased: Bool
    public var lastError: String?
    public var hand = HandPause()
    public var seen = SeenPause()

    /// What a pending row is doing: states.md (a).
    public func phase(at now: Timestamp) -> Phase {
        if isLeased, let leaseUntil {
            if leaseUntil > now { return publishedAt == nil ? .leased : .awaiting }
            return publishedAt == nil ? .due : .lapsed
        }
        return dueAt > now ? .deferred : .due
    }

    public enum Phase: String, Sendable {
        case due, deferred, leased, awaiting, lapsed
    }
}

public struct TokenHistory: Equatable, Sendable {
    public var fingerprint: Fingerprint
    public var route: String
    public var state: String
    public var stateReason: String?
    public var stateAt: Timestamp
    public var registeredAt: Timestamp
    public var notBefore: Timestamp?
    public var judgeAt: Timestamp?
}

public struct DeadLetterHistory: Equatable, Sendable {
    public var number: Int64
    public var queue: String
    public var seq: Int
    public var reason: String
    public var state: String
    public var recordedAt: Timestamp
    public var repeats: Int
}

/// A line of `delivery.audit`.
public struct AuditLine: Equatable, Sendable {
    public var at: Timestamp
    public var actor: String
    public var action: String
    public var subject: String
    public var result: String?
    public var rows: Int?
}
