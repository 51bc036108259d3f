import Synchronization

/// A numbered list that readers follow from where they stopped, waiting if there is nothing new. Only the newest
/// `capacity` elements are kept.
final class Feed<Element: Sendable>: Sendable {
    struct Entry: Sendable {
        /// From 1, without gaps.
        var number: Int
        var element: Element
    }

    private struct State {
        var ring: Ring<Element>
        var isClosed = false
        var waiting: [Int: CheckedContinuation<Void, Never>] = [:]
        var nextWaiter = 0
    }

    private let state: Mutex<State>

    init(capacity: Int) { state = Mutex(State(ring: Ring(capacity: capacity))) }

    /// Appends and returns the element's number.
    @discardableResult
    func append(_ element: Element) -> Int {
        let (number, waiting) = state.withLock { state in
            state.ring.append(element)
            return (state.ring.last, Self.takeWaiting(&state))
        }
        for continuation in waiting { continuation.resume() }
        return number
    }

    private static func takeWaiting(_ state: inout State) -> [CheckedContinuation<Void, Never>] {
        if state.waiting.isEmpty { return [] }
        defer { state.waiting.removeAll() }
        return Array(state.waiting.values)
    }

    /// Elements with a number above `number`, at most `limit`.
    func after(_ number: Int, limit: Int = .max) -> [Entry] {
        state.withLock { state in
            state.ring.after(number, limit: limit).map { Entry(number: $0.number, element: $0.element) }
        }
    }

    /// The same, but waits up to `duration` for the first.
    func after(_ number: Int, waiting duration: Duration, limit: Int = .max) async -> [Entry] {
        let found = after(number, limit: limit)
        if !found.isEmpty || duration <= .zero { return found }
        let waiter = state.withLock { state in
            state.nextWaiter += 1
            return state.nextWaiter
        }
        let timeout = Task {
            try? await Task.sleep(for: duration)
            self.release(waiter)
        }
        await withCheckedContinuation { continuation in
            let isReady = state.withLock { state in
                if state.ring.last > number || state.isClosed { return true }
                state.waiting[waiter] = continuation
                return false
            }
            if isReady { continuation.resume() }
        }
        timeout.cancel()
        return after(number, limit: limit)
    }

    private func release(_ waiter: Int) { state.withLock { $0.waiting.removeValue(forKey: waiter) }?.resume() }

    /// Elements since the start.
    var count: Int { state.withLock { $0.ring.last } }

    var isClosed: Bool { state.withLock { $0.isClosed } }

    /// Lets everybody go who waits, now and later.
    func close() {
        let waiting = state.withLock { state in
            state.isClosed = true
            return Self.takeWaiting(&state)
        }
        for continuation in waiting { continuation.resume() }
    }
}
