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
        var entries: [Entry] = []
        var last = 0
        var isClosed = false
        var waiting: [Int: CheckedContinuation<Void, Never>] = [:]
        var nextWaiter = 0
    }

    private let capacity: Int
    private let state = Mutex(State())

    init(capacity: Int) { self.capacity = capacity }

    /// Appends and returns the element's number.
    @discardableResult
    func append(_ element: Element) -> Int {
        let (number, waiting) = state.withLock { state in
            state.last += 1
            state.entries.append(Entry(number: state.last, element: element))
            // Cut in lumps, so that appending stays cheap.
            if state.entries.count > capacity + capacity / 4 + 16 {
                state.entries.removeFirst(state.entries.count - capacity)
            }
            defer { state.waiting.removeAll() }
            return (state.last, Array(state.waiting.values))
        }
        for continuation in waiting { continuation.resume() }
        return number
    }

    /// Elements with a number above `number`, at most `limit`.
    func after(_ number: Int, limit: Int = .max) -> [Entry] {
        state.withLock { state in
            guard let first = state.entries.first else { return [] }
            let skip = max(0, number - first.number + 1)
            return Array(state.entries.dropFirst(skip).prefix(limit))
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
                if state.last > number || state.isClosed { return true }
                state.waiting[waiter] = continuation
                return false
            }
            if isReady { continuation.resume() }
        }
        timeout.cancel()
        return after(number, limit: limit)
    }

    private func release(_ waiter: Int) { state.withLock { $0.waiting.removeValue(forKey: waiter) }?.resume() }

    /// Lets everybody go who waits, now and later.
    func close() {
        let waiting = state.withLock { state in
            state.isClosed = true
            defer { state.waiting.removeAll() }
            return Array(state.waiting.values)
        }
        for continuation in waiting { continuation.resume() }
    }
}
