import CMicroHTTPD
import Synchronization

/// The exchanges whose connection is suspended, and how many answers are still being sent. The library aborts the process
/// when it is stopped while a connection is suspended, and cuts answers that are not sent yet.
final class Suspended: Sendable {
    /// The library keeps a suspended connection until it is resumed, so the pointer is good exactly as long as the entry.
    private struct Connection: @unchecked Sendable {
        let pointer: OpaquePointer
        let exchange: Exchange
    }

    private struct State {
        var connections: [ObjectIdentifier: Connection] = [:]
        var closed = false
        var sending = 0
        var waiters: [CheckedContinuation<Void, Never>] = []

        mutating func drainedWaiters() -> [CheckedContinuation<Void, Never>] {
            guard connections.isEmpty, sending == 0 else { return [] }
            defer { waiters = [] }
            return waiters
        }
    }

    private let state = Mutex(State())

    var count: Int { state.withLock { $0.connections.count } }

    /// Suspends, unless the listener is stopping.
    func suspend(_ connection: OpaquePointer, _ exchange: Exchange) -> Bool {
        let entry = Connection(pointer: connection, exchange: exchange)
        return state.withLock { state in
            if state.closed { return false }
            MHD_suspend_connection(entry.pointer)
            state.connections[ObjectIdentifier(entry.exchange)] = entry
            return true
        }
    }

    /// Stores the answer and lets the connection go on; without effect the second time.
    func answer(_ exchange: Exchange, _ response: Response) {
        guard exchange.answer(response) else { return }
        state.withLock { state in
            // Under the lock: once the last one is out of the table, the library may be stopped.
            if let connection = state.connections.removeValue(forKey: ObjectIdentifier(exchange)) {
                state.sending += 1
                MHD_resume_connection(connection.pointer)
            }
        }
    }

    /// The library is done with an exchange.
    func completed(_ exchange: Exchange) {
        guard case .answered = exchange.stage else { return }
        let waiters = state.withLock { state in
            state.sending -= 1
            return state.drainedWaiters()
        }
        for waiter in waiters { waiter.resume() }
    }

    func close() { state.withLock { $0.closed = true } }

    /// Returns once nothing is suspended and every answer is sent, at the latest after `limit`.
    func drained(within limit: Duration) async {
        let timer = Task {
            guard (try? await Task.sleep(for: limit)) != nil else { return }
            let waiters = state.withLock { state in
                defer { state.waiters = [] }
                return state.waiters
            }
            for waiter in waiters { waiter.resume() }
        }
        await withCheckedContinuation { continuation in
            let waiters = state.withLock { state in
                state.waiters.append(continuation)
                return state.drainedWaiters()
            }
            for waiter in waiters { waiter.resume() }
        }
        timer.cancel()
    }

    /// Answers everything that is still suspended.
    func answerAll(_ response: Response) {
        let open = state.withLock { $0.connections.values.map(\.exchange) }
        for exchange in open { answer(exchange, response) }
    }
}
