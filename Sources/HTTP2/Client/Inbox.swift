import Synchronization

/// Where calling tasks leave requests and cancellations for the client's thread, without a hop of their own: the thread
/// takes all that is there once a round.
final class Inbox: Sendable {
    struct Contents {
        var requests: [PendingRequest] = []
        var cancelled: [PendingRequest] = []
    }

    enum Admission {
        /// First of all: the client has to join the thread's loop.
        case first
        case taken
        case cancelled
        case closed
    }

    private struct State {
        var contents = Contents()
        var isBegun = false
        var isClosed = false
    }

    private let state = Mutex(State())

    func put(_ pending: PendingRequest) -> Admission {
        state.withLock { state in
            if state.isClosed { return .closed }
            if pending.isCancelled { return .cancelled }
            pending.isHandedOver = true
            state.contents.requests.append(pending)
            defer { state.isBegun = true }
            return state.isBegun ? .taken : .first
        }
    }

    func cancel(_ pending: PendingRequest) {
        state.withLock { state in
            pending.isCancelled = true
            // Before that it is still the calling task's, which will find it cancelled.
            if pending.isHandedOver { state.contents.cancelled.append(pending) }
        }
    }

    /// Exchanges `empty` for what came since the last time, so that neither array is allocated anew.
    func exchange(_ empty: inout Contents) {
        state.withLock { swap(&$0.contents, &empty) }
    }

    /// Nothing is taken any more; returns what nobody looked at.
    func close() -> [PendingRequest] {
        state.withLock { state in
            state.isClosed = true
            defer { state.contents = Contents() }
            return state.contents.requests
        }
    }
}
