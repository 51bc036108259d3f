import Synchronization

/// Where calling tasks leave requests for the client's thread, without a hop of their own: the thread takes all that is
/// there once a round.
final class Inbox: Sendable {
    enum Admission {
        /// First of all: the client has to join the thread's loop.
        case first
        case taken
        case closed
    }

    private struct State {
        var requests: [PendingRequest] = []
        var isBegun = false
        var isClosed = false
    }

    private let state = Mutex(State())

    func put(_ pending: PendingRequest) -> Admission {
        state.withLock { state in
            if state.isClosed { return .closed }
            state.requests.append(pending)
            defer { state.isBegun = true }
            return state.isBegun ? .taken : .first
        }
    }

    /// Exchanges `empty` for what came since the last time, so that neither array is allocated anew.
    func exchange(_ empty: inout [PendingRequest]) {
        state.withLock { swap(&$0.requests, &empty) }
    }

    /// Nothing is taken any more; returns what nobody looked at.
    func close() -> [PendingRequest] {
        state.withLock { state in
            state.isClosed = true
            defer { state.requests = [] }
            return state.requests
        }
    }
}
