import CPostgres

extension Connection {
    /// A script that is sent or waits for the pipeline to run empty.
    struct Script {
        let sql: String
        let deadline: ContinuousClock.Instant
        var isSent = false
        var error: PostgresError?
        let continuation: CheckedContinuation<PostgresError?, Never>
    }

    /// Runs several statements, separated by semicolons, as the server's simple protocol does: without binds, in one
    /// transaction unless the script has its own. For migrations and tests.
    public func script(_ sql: String, within limit: Duration? = nil) async throws(PostgresError) {
        let deadline = deadline(limit)
        let key = try await enter(deadline: deadline).get()
        let error = await runScript(sql, deadline: deadline)
        leave(key)
        if let error { throw error }
    }

    /// The same while holding the connection.
    func runScript(_ sql: String, deadline: ContinuousClock.Instant) async -> PostgresError? {
        if let refusal { return refusal }
        return await withCheckedContinuation { continuation in
            script = Script(sql: sql, deadline: deadline, continuation: continuation)
            notice(deadline)
            startScriptIfDrained()
        }
    }

    func startScriptIfDrained() {
        guard let script, !script.isSent, let handle, answered == inFlight.count else { return }
        guard PQexitPipelineMode(handle.pointer) == 1, PQsendQuery(handle.pointer, script.sql) == 1 else {
            condemn(PostgresError(.connectionLost, handle.message), grace: .zero)
            return
        }
        self.script?.isSent = true
    }

    func readScriptAnswers(_ handle: ConnectionHandle) {
        guard script?.isSent == true else { return }
        while PQisBusy(handle.pointer) == 0 {
            guard let pointer = PQgetResult(handle.pointer) else { return finishScript(handle) }
            let result = ResultHandle(pointer)
            switch result.status {
            case PGRES_TUPLES_OK, PGRES_COMMAND_OK, PGRES_EMPTY_QUERY: break
            case PGRES_FATAL_ERROR, PGRES_BAD_RESPONSE, PGRES_NONFATAL_ERROR:
                if script?.error == nil { script?.error = result.error }
            default:
                condemn(PostgresError(.connectionLost, "COPY can't be used in a script"), grace: .zero)
                return
            }
        }
    }

    private func finishScript(_ handle: ConnectionHandle) {
        guard let script = script.take() else { return }
        if PQenterPipelineMode(handle.pointer) != 1 {
            condemn(PostgresError(.connectionLost, handle.message), grace: .zero)
        }
        script.continuation.resume(returning: script.error)
    }
}
