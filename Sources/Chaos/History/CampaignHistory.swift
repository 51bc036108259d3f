import Delivery

/// What the database, the broker and the providers say after a campaign.
struct CampaignHistory: Sendable {
    /// One hint, in its row and at the provider.
    struct Entry: Equatable, Sendable {
        let id: Identifier
        var device: Identifier?
        var state: String
        var reason = ""
        /// Microseconds of the database's clock; the end only of those that have one.
        var createdAt: Int64 = 0
        var finishedAt: Int64?
        var failures = 0
        var silences = 0
        /// Requests that the provider accepted.
        var acceptances = 0
        /// Requests that the provider refused because the token is registered no more.
        var refusals = 0
        /// From the outcomes that its sender published.
        var ambiguous = 0
        var redelivered = 0
        /// Outcomes that add to `failures`, ambiguous ones included.
        var charged = 0
    }

    /// What the audit of leases saw and nobody may do.
    struct LeaseFault: Equatable, Sendable {
        let entry: Identifier
        let what: String
    }

    /// A row that a relay claimed.
    struct Claim: Equatable, Sendable {
        let entry: Identifier
        let seq: Int
        /// Microseconds of the database's clock.
        let at: Int64
    }

    /// A stretch of time in which nothing was to be published.
    struct Hold: Equatable, Sendable {
        let what: String
        let from: Int64
        let to: Int64
    }

    /// Devices whose hints had no part in a fault, and how long theirs may take that were committed meanwhile.
    struct Calm: Equatable, Sendable {
        let devices: Set<Identifier>
        let from: Int64
        let to: Int64
        let limit: Duration
    }

    /// Resident memory of one process, in KiB, in the order of its work.
    struct Memory: Equatable, Sendable {
        let process: String
        let samples: [Int]
    }

    struct DeadLetter: Equatable, Sendable {
        let entry: Identifier
        let isEvent: Bool
        let reason: String

        /// A sender was told that the token is no more.
        var isOfToken: Bool { !isEvent && reason == "token" }
    }

    /// What replayers did that were killed on their way.
    struct Replay: Equatable, Sendable {
        /// Letters a second that were asked for, and how far off is too far.
        let limit: Int
        let tolerance: Double
        /// A busy machine is slow without any fault of the replayer; too fast is always one.
        let judgesSlowness: Bool
        /// Of each life of a replayer.
        let rates: [Double]
        let rearmedTwice: [Identifier]
        /// Ids of messages that are neither where they were nor where they belong.
        let lostMessages: [String]
        /// Copies of closed letters that a sweep left in their queues; negative: copies of open letters are gone.
        let leftCopies: Int
    }

    var replay: Replay?
    var entries: [Entry] = []
    /// Devices that lost their app while the campaign ran: what comes for them later has to fail.
    var gone: Set<Identifier> = []
    /// Rows that are still in `due`, with what is known of each.
    var leftovers: [(entry: Identifier, detail: String)] = []
    var leaseFaults: [LeaseFault] = []
    /// Of hints only.
    var claims: [Claim] = []
    var holds: [Hold] = []
    var deadLetters: [DeadLetter] = []
    /// Devices whose token was taken out of use.
    var cleared: Set<Identifier> = []
    var calms: [Calm] = []
    var memories: [Memory] = []
    var events = 0
    /// Events that no consumer saw.
    var unseenEvents: [Identifier] = []
    /// How often the fault was felt, by a name; none may be zero.
    var effects: [String: Int] = [:]
}
