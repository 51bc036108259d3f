import Synchronization

/// What a phone is told, in order, until it takes it; never refuses and never waits.
final class Inbox<Element: Sendable>: Sendable {
    private struct State {
        var queue: [Element] = []
        var waiter: (id: UInt64, continuation: CheckedContinuation<Void, Never>)?
        var lastID: UInt64 = 0
    }

    private let state = Mutex(State())

    func put(_ element: Element) {
        let waiter = state.withLock { state in
            state.queue.append(element)
            defer { state.waiter = nil }
            return state.waiter
        }
        waiter?.continuation.resume()
    }

    /// The oldest, or `nil` when the time is over or the task is cancelled. One taker at a time.
    func next(within limit: Duration?) async -> Element? {
        if let element = take() { return element }
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await self.filled() }
            if let limit { group.addTask { try? await Task.sleep(for: limit) } }
            await group.next()
            group.cancelAll()
        }
        return take()
    }

    private func take() -> Element? {
        state.withLock { $0.queue.isEmpty ? nil : $0.queue.removeFirst() }
    }

    private func filled() async {
        let id = state.withLock { state in
            state.lastID += 1
            return state.lastID
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isDone = state.withLock { state in
                    if !state.queue.isEmpty || Task.isCancelled { return true }
                    state.waiter = (id, continuation)
                    return false
                }
                if isDone { continuation.resume() }
            }
        } onCancel: {
            let waiter = state.withLock { state in
                guard let waiter = state.waiter, waiter.id == id else {
                    return Optional<CheckedContinuation<Void, Never>>.none
                }
                state.waiter = nil
                return waiter.continuation
            }
            waiter?.resume()
        }
    }
}
