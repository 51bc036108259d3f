/// A request on its way through the client, from the call of `send` to the one result that it resumes with.
///
/// @unchecked Sendable: the calling task makes it and hands it over through the inbox; from then on only the client's
/// reactor thread touches it.
final class PendingRequest: @unchecked Sendable {
    let request: Request
    let deadline: ContinuousClock.Instant
    /// Unchecked, because `finish` takes it out before it resumes it: it cannot be resumed twice.
    private var continuation: UnsafeContinuation<RequestResult, Never>?
    /// The task that waits. It cannot end before `finish` resumes it, and asking it for cancellation is allowed from any
    /// thread.
    private var task: UnsafeCurrentTask?

    /// Set while a connection has it; `place` is its place in the connection's list.
    var connection: Pool.ID?
    var place = 0
    var stream: Int32 = 0
    /// When a connection got it; before that without meaning.
    var startedAt: ContinuousClock.Instant
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
        startedAt = deadline
    }

    deinit { assert(continuation == nil, "a request went without a result") }

    var isDone: Bool { continuation == nil }
    var seenStatus: Int? { status == 0 ? nil : status }

    /// Its task was cancelled while it waits.
    var isCancelled: Bool { !isDone && task?.isCancelled == true }

    func begin(_ continuation: UnsafeContinuation<RequestResult, Never>, of task: UnsafeCurrentTask?) {
        self.continuation = continuation
        self.task = task
    }

    /// The first result counts.
    func finish(_ result: RequestResult) {
        task = nil
        continuation.take()?.resume(returning: result)
    }

    /// Ends it for a reason of our own: ambiguous if the server may have seen it.
    func giveUp(ifWritten: Ambiguous, otherwise: Unprocessed) {
        finish(isWritten ? .ambiguous(ifWritten) : .unprocessed(otherwise))
    }
}
