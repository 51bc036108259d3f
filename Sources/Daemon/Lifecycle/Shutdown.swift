import Synchronization

/// The wish that work end in good order. Not a cancellation: what is in hand gets finished.
public final class Shutdown: Sendable {
    /// The one of the service that runs this task; never requested outside a service.
    @TaskLocal public static var current = Shutdown()

    private struct State {
        var isRequested = false
        var waiters: [UInt64: CheckedContinuation<Void, Never>] = [:]
        var next: UInt64 = 0
    }

    private let state = Mutex(State())

    public init() {}

    public var isRequested: Bool { state.withLock { $0.isRequested } }

    /// Any number of times, from anywhere.
    public func request() {
        let waiters = state.withLock { state -> [CheckedContinuation<Void, Never>] in
            state.isRequested = true
            defer { state.waiters = [:] }
            return Array(state.waiters.values)
        }
        for waiter in waiters { waiter.resume() }
    }

    /// Returns once it is requested, or when this task is cancelled.
    public func wait() async {
        let id = state.withLock { state in
            state.next += 1
            return state.next
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let done = state.withLock { state in
                    // Cancelled before it waits: the handler below has found nothing.
                    if state.isRequested || Task.isCancelled { return true }
                    state.waiters[id] = continuation
                    return false
                }
                if done { continuation.resume() }
            }
        } onCancel: {
            state.withLock { $0.waiters.removeValue(forKey: id) }?.resume()
        }
    }

    /// Sleeps, but not past the request. True when it slept its time.
    public func sleep(for duration: Duration) async -> Bool {
        await withTaskGroup(of: Bool.self) { group in
            group.addTask { (try? await Task.sleep(for: duration)) != nil }
            group.addTask {
                await self.wait()
                return false
            }
            let first = await group.next() ?? false
            group.cancelAll()
            return first && !isRequested
        }
    }
}
