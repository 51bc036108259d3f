/// A request on its way through the client, from the call of `send` to the one result that it resumes with.
///
/// @unchecked Sendable: only the client's reactor thread touches it; the cancellation handler merely carries it there.
final class PendingRequest: @unchecked Sendable {
    let request: Request
    let deadline: ContinuousClock.Instant
    private var continuation: CheckedContinuation<RequestResult, Never>?

    /// Set while a connection has it.
    var connection: Pool.ID?
    var stream: Int32 = 0
    var startedAt: ContinuousClock.Instant
    /// Its header block left the session for the socket: from here on the server may have seen it.
    var isWritten = false
    var bodyOffset = 0

    var status = 0
    var fields: [HeaderField] = []
    var fieldBytes = 0
    var body: [UInt8] = []
    var isMalformed = false

    init(request: Request, deadline: ContinuousClock.Instant, now: ContinuousClock.Instant) {
        self.request = request
        self.deadline = deadline
        startedAt = now
    }

    var isDone: Bool { continuation == nil }
    var seenStatus: Int? { status == 0 ? nil : status }

    func begin(_ continuation: CheckedContinuation<RequestResult, Never>) { self.continuation = continuation }

    /// The first result counts.
    func finish(_ result: RequestResult) { continuation.take()?.resume(returning: result) }

    /// Ends it for a reason of our own: ambiguous if the server may have seen it.
    func giveUp(ifWritten: Ambiguous, otherwise: Unprocessed) {
        finish(isWritten ? .ambiguous(ifWritten) : .unprocessed(otherwise))
    }
}
