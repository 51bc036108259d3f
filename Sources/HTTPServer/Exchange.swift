import CMicroHTTPD
import Synchronization

/// One request from its first line to its last answered byte. The library holds one reference (given up in its completed
/// callback), the handler's task another, so that whichever ends last frees it.
final class Exchange: Sendable {
    enum Stage: Equatable {
        /// The body is arriving.
        case collecting
        /// Suspended; a task has the request.
        case handling
        /// Answer stored; the library calls once more to fetch it.
        case answered(Response)
    }

    private struct State {
        var stage = Stage.collecting
        var started = false
        var request: Request
        var excess = 0
    }

    private let state: Mutex<State>
    /// Where it came.
    let connection: Connections.Connection?
    let began = ContinuousClock.now

    init(target: String, connection: Connections.Connection? = nil) {
        self.connection = connection
        state = Mutex(State(request: Request(method: "", target: target)))
    }

    var stage: Stage { state.withLock { $0.stage } }

    /// True exactly once: the library's first call, which comes before any body.
    func begin(method: String, headers: Headers, peer: String) -> Bool {
        state.withLock { state in
            if state.started { return false }
            state.started = true
            state.request.method = method
            state.request.headers = headers
            state.request.peer = peer
            return true
        }
    }

    /// Bytes beyond the limit are counted, not kept. Returns how many there are.
    func append(_ bytes: UnsafeRawBufferPointer, limit: Int) -> Int {
        state.withLock { state in
            if state.excess > 0 || state.request.body.count + bytes.count > limit {
                state.excess += bytes.count
            } else {
                state.request.body.append(contentsOf: bytes)
            }
            return state.excess
        }
    }

    /// The request, moved out once its body is complete; nil when it was too large.
    func take() -> Request? {
        state.withLock { state in
            guard state.excess == 0 else { return nil }
            state.stage = .handling
            let request = state.request
            state.request.body = []
            return request
        }
    }

    /// False when an answer was there already: only the first one counts, and only its giver resumes.
    func answer(_ response: Response) -> Bool {
        state.withLock { state in
            guard state.stage == .handling else { return false }
            state.stage = .answered(response)
            return true
        }
    }
}
