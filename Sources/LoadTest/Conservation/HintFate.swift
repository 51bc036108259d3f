import Delivery

/// Everything that database, broker and provider say about one hint, when a test is over.
struct HintFate: Equatable, Sendable {
    /// What a pending hint is doing.
    enum Standing: Equatable, Sendable {
        /// It has no row in `due`.
        case none
        case due
        /// Due later.
        case deferred
        /// A relay holds it, or its outcome is awaited.
        case inFlight
    }

    let job: Identifier
    let device: Identifier
    /// nil if the database has no such hint.
    var entry: Identifier?
    var state = ""
    var reason = ""
    var standing = Standing.none
    var failures = 0
    var silences = 0
    var acceptances = 0
    var refusals = 0
    var ambiguous = 0
    var redelivered = 0
    /// The provider said of the device's token that it is no more, for this hint or another.
    var hasDeadToken = false
    /// The device acknowledged the job, or said that it cannot open it.
    var isDeviceDone = false
    /// The end came after the job's expiry.
    var isLate = false
}
