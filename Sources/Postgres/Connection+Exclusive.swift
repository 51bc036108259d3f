import Synchronization

extension Connection {
    /// Waits for the connection; until `leave` nobody else's statement is sent. Returns the key to it.
    func enter(deadline: ContinuousClock.Instant) async -> Result<UInt64, PostgresError> {
        if let refusal { return .failure(refusal) }
        let id = nextID()
        if turnstile.arrived(exclusive: id) {
            load.add(Self.heldLoad, ordering: .relaxed)
            return .success(id)
        }
        let error = await withCheckedContinuation { wait(id, .exclusive($0, deadline: deadline)) }
        if let error { return .failure(error) }
        load.add(Self.heldLoad, ordering: .relaxed)
        return .success(id)
    }

    func leave(_ id: UInt64) {
        guard turnstile.holder == id else { return }
        load.subtract(Self.heldLoad, ordering: .relaxed)
        admit(turnstile.left(exclusive: id))
    }

    /// One statement of the transaction that holds the connection.
    func perform(
        _ statement: Statement, holding id: UInt64, deadline: ContinuousClock.Instant
    ) async -> Result<Rows, PostgresError> {
        if let refusal { return .failure(refusal) }
        guard turnstile.holder == id else {
            return .failure(PostgresError(.closed, "the transaction has ended"))
        }
        return await withCheckedContinuation { continuation in
            send(Request(statement: statement, deadline: deadline, continuation: continuation))
        }
    }

    func wait(_ id: UInt64, _ waiter: Waiter) {
        waiting[id] = waiter
        load.add(1, ordering: .relaxed)
        notice(waiter.deadline)
    }

    /// Sends what was let in, and wakes the transaction whose turn it is.
    func admit(_ admitted: [Turnstile.Admission]) {
        for admission in admitted {
            switch admission {
            case .shared(let id):
                guard case .request(let request) = waiting.removeValue(forKey: id) else { continue }
                load.subtract(1, ordering: .relaxed)
                send(request)
            case .exclusive(let id):
                guard case .exclusive(let continuation, _) = waiting.removeValue(forKey: id) else { continue }
                load.subtract(1, ordering: .relaxed)
                continuation.resume(returning: nil)
            }
        }
    }
}
