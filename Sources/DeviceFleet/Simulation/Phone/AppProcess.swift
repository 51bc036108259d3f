import Synchronization

/// One life of the app's process. Every call out of the kit passes it: it may be stopped there for a while, or end.
final class AppProcess: Sendable {
    private struct State {
        var isDead = false
        var isSuspended = false
        var waiters: [CheckedContinuation<Void, Never>] = []
        var callsLeft: Int?
    }

    private let state: Mutex<State>
    private let crashed: @Sendable () -> Void

    /// Crashes at that many calls from now, and tells it; `nil` never.
    init(callsLeft: Int?, crashed: @escaping @Sendable () -> Void) {
        state = Mutex(State(callsLeft: callsLeft))
        self.crashed = crashed
    }

    var isDead: Bool { state.withLock { $0.isDead } }

    /// False once the process is dead: the caller unwinds and touches nothing more.
    func pass() async -> Bool {
        let crashes = state.withLock { state in
            guard !state.isDead, let left = state.callsLeft else { return false }
            state.callsLeft = left - 1
            return left <= 1
        }
        if crashes {
            end()
            crashed()
            return false
        }
        await withCheckedContinuation { continuation in
            let waits = state.withLock { state in
                guard state.isSuspended, !state.isDead else { return false }
                state.waiters.append(continuation)
                return true
            }
            if !waits { continuation.resume() }
        }
        return !isDead
    }

    func crash(afterCalls calls: Int) { state.withLock { $0.callsLeft = calls } }

    func suspend() { state.withLock { $0.isSuspended = true } }

    func resume() {
        let waiters = state.withLock { state in
            state.isSuspended = false
            defer { state.waiters = [] }
            return state.waiters
        }
        for waiter in waiters { waiter.resume() }
    }

    func end() {
        state.withLock { $0.isDead = true }
        resume()
    }
}
