/// A request on its way through the client, from the call of `send` to the one result that it resumes with.
///
/// @unchecked Sendable: the calling task makes it and hands it over through the inbox; from then on only the client's
/// reactor thread touches it. `isHandedOver` and `isCancelled` belong to the inbox and its lock.
final class PendingRequest: @unchecked Sendable {
    let request: Request
    let deadline: ContinuousClock.Instant
    /// Unchecked, because `finish` takes it out before it resumes it: it cannot be resumed twice.
    private var continuation: UnsafeContinuation<RequestResult, Never>?
    var isHandedOver = false
    var isCancelled = false

    /// Set while a connection has it; `place` is its place in the connection's list.
    var connection: Pool.ID?
    var place = 0
    var stream: Int32 = 0
    var startedAt = ContinuousClock.Instant.now
    /// Its header block left the session for the socket: from here on the server may have seen it.
    var isWritten = false
    var bodyOffset = 0

    var status = 0
    var headers = Headers()
    var fieldBytes = 0
    var body: [UInt8] = []
    var isMalformed = false

    init(request: Request, deadline: ContinuousClock.Instant) {
        self.request = request
        self.deadline = deadline
    }

    deinit { assert(continuation == nil, "a request went without a result") }

    var isDone: Bool { continuation == nil }
    var seenStatus: Int? { status == 0 ? nil : status }

    func begin(_ continuation: UnsafeContinuation<RequestResult, Never>) { self.continuation = continuation }

    /// The first result counts.
    func finish(_ result: RequestResult) { continuation.take()?.resume(returning: result) }

    /// Ends it for a reason of our own: ambiguous if the server may have seen it.
    func giveUp(ifWritten: Ambiguous, otherwise: Unprocessed) {
        finish(isWritten ? .ambiguous(ifWritten) : .unprocessed(otherwise))
    }
}
