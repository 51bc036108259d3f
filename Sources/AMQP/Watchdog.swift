import Glibc
import Synchronization

/// Frees a thread that the library keeps inside a write: librabbitmq 0.11 waits without a limit there. Whoever enters
/// such a call says so; a task looks once in a while and shuts the socket down, which makes the call return an error.
final class Watchdog: Sendable {
    private struct State {
        var descriptor: Int32
        var enteredAt: ContinuousClock.Instant?
    }

    private let state: Mutex<State>
    private let limit: Duration

    init(descriptor: Int32, limit: Duration) {
        state = Mutex(State(descriptor: descriptor))
        self.limit = limit
    }

    /// Looks until `retire()`.
    func start() {
        Task.detached { [self] in
            while await look() {}
        }
    }

    func entered() { state.withLock { $0.enteredAt = .now } }
    func left() { state.withLock { $0.enteredAt = nil } }

    /// Call before the descriptor is closed: its number may belong to somebody else a moment later.
    func retire() { state.withLock { $0.descriptor = -1 } }

    private func look() async -> Bool {
        try? await Task.sleep(for: limit / 4)
        return state.withLock { state in
            guard state.descriptor >= 0 else { return false }
            if let enteredAt = state.enteredAt, ContinuousClock.now - enteredAt > limit {
                shutdown(state.descriptor, Int32(SHUT_RDWR))
                state.enteredAt = nil
            }
            return true
        }
    }
}
