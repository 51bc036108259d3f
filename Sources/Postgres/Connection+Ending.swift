import Reactor
import Synchronization

extension Connection {
    /// How long neighbours of a statement that missed its deadline may still be answered.
    private static let grace = Duration.seconds(1)

    /// Remembers that something has to end by then.
    func notice(_ deadline: ContinuousClock.Instant) {
        earliestDeadline = earliestDeadline.map { min($0, deadline) } ?? deadline
    }

    /// Fails what missed its deadline. Returns the next one.
    func keepDeadlines() -> ContinuousClock.Instant? {
        let now = ContinuousClock.now
        if case .condemned(let error, let until) = phase {
            if until <= now || (answered == inFlight.count && script == nil) {
                end(error)
                return nil
            }
            notice(until)
        }
        guard let earliest = earliestDeadline, earliest <= now else { return earliestDeadline }
        earliestDeadline = nil
        for (id, waiter) in waiting where waiter.deadline <= now {
            waiting[id] = nil
            load.subtract(1, ordering: .relaxed)
            fail(waiter, PostgresError(.unavailable, "the connection was busy until the deadline"))
            admit(turnstile.gaveUp(id))
        }
        var isLate = false
        let late = PostgresError(.deadlineExceeded, "the server did not answer before the deadline")
        for index in answered..<inFlight.count where inFlight[index].deadline <= now {
            if let continuation = inFlight[index].continuation.take() {
                continuation.resume(returning: .failure(late))
                isLate = true
            }
        }
        if let script, script.deadline <= now { isLate = true }
        if isLate {
            // No cancel request: it makes Debian's PgBouncer 1.18 end other clients' connections, or itself. What the
            // server is at ends by its role's `statement_timeout`.
            condemn(late, grace: script == nil ? Self.grace : .zero)
        }
        for waiter in waiting.values { notice(waiter.deadline) }
        for request in inFlight[answered...] where request.continuation != nil { notice(request.deadline) }
        if let script { notice(script.deadline) }
        if case .condemned(_, let until) = phase { notice(until) }
        return earliestDeadline
    }

    /// Takes nothing new from now on.
    func condemn(_ error: PostgresError, grace: Duration) {
        guard case .open = phase else { return }
        phase = .condemned(error, until: .now + grace)
        notice(.now + grace)
        failWaiting(error)
        announceEnd()
    }

    /// The end: everybody who waits is told, then the socket is closed.
    func end(_ error: PostgresError) {
        if case .closed = phase { return }
        let before = phase
        phase = .closed(error)
        if let watched { reactor.unwatch(watched.descriptor) }
        watched = nil
        handle = nil
        if case .connecting(let continuation, _) = before { continuation.resume(returning: error) }
        let lost =
            error.kind == .closed
            ? PostgresError(.connectionLost, error.message)
            : PostgresError(.connectionLost, error.message, sqlState: error.sqlState)
        for index in answered..<inFlight.count {
            inFlight[index].continuation.take()?.resume(returning: .failure(lost))
        }
        inFlight = []
        answered = 0
        script.take()?.continuation.resume(returning: error.kind == .deadlineExceeded ? error : lost)
        failWaiting(error)
        announceEnd()
    }

    private func failWaiting(_ error: PostgresError) {
        let refused = PostgresError(.closed, error.message, sqlState: error.sqlState)
        for admission in turnstile.dissolve() {
            let id: UInt64
            switch admission {
            case .shared(let shared): id = shared
            case .exclusive(let exclusive): id = exclusive
            }
            if let waiter = waiting.removeValue(forKey: id) { fail(waiter, refused) }
        }
    }

    private func fail(_ waiter: Waiter, _ error: PostgresError) {
        switch waiter {
        case .request(let request): request.continuation?.resume(returning: .failure(error))
        case .exclusive(let continuation, _): continuation.resume(returning: error)
        }
    }

    private func announceEnd() {
        for waiter in endWaiters { waiter.resume() }
        endWaiters = []
    }
}
