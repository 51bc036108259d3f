import Delivery

/// What the checker remembers of one phone.
struct PhoneHistory: Sendable {
    /// One line of a job's own order of events (I-19).
    enum Line: Equatable, Sendable {
        case granted(Int64)
        case submitEnded(Int64)
        case ackSent
        case ackTaken
    }

    struct Try: Hashable, Sendable {
        var job: Identifier
        var epoch: Int64
    }

    // Of the account.
    var receipts: [Identifier: [UInt8]] = [:]
    var acknowledged: Set<Identifier> = []
    var submitted: [Try: [UInt8]] = [:]
    var lines: [Identifier: [Line]] = [:]
    // Of the process.
    var lastCoalescedSync: Int64?
    /// A wrong clock was corrected: the same sync is asked for again.
    var repeatsSync = false
    var isLaunchAnswered = true
    // Of the installation.
    var explanations = 0
    var prompts = 0

    mutating func forgetAccount() {
        receipts = [:]
        acknowledged = []
        submitted = [:]
        lines = [:]
    }
}
