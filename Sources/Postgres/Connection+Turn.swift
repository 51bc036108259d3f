import CPostgres
import Reactor
import Synchronization

extension Connection {
    /// Lets libpq read and write, hands out answers, keeps deadlines. Called by the reactor in every round.
    func turn() -> ContinuousClock.Instant? {
        switch phase {
        case .idle, .closed: nil
        case .connecting(let continuation, let deadline): pollConnecting(continuation, until: deadline)
        case .open, .condemned: exchange()
        }
    }

    private func exchange() -> ContinuousClock.Instant? {
        guard let handle else { return nil }
        if !ready.isDisjoint(with: [.read, .failure]), PQconsumeInput(handle.pointer) == 0 {
            // What had arrived before the end, above all the reason for it, is read first.
            readAnswers(handle)
            lost(handle)
            return nil
        }
        ready = []
        readAnswers(handle)
        if self.handle == nil { return nil }
        if handle.isBroken {
            lost(handle)
            return nil
        }
        switch PQflush(handle.pointer) {
        case 0: watch(.read)
        case 1: watch([.read, .write])
        default:
            lost(handle)
            return nil
        }
        return keepDeadlines()
    }

    func send(_ request: Request) {
        guard let handle else {
            request.continuation?.resume(returning: .failure(PostgresError(.closed, "the connection was closed")))
            return
        }
        let binds = request.statement.binds
        let sent = binds.bytes.withUnsafeBytes { bytes in
            let base = bytes.baseAddress!.assumingMemoryBound(to: CChar.self)
            let values = binds.ranges.map { range in range.map { base + $0.lowerBound } }
            let lengths = binds.ranges.map { range in Int32(range?.count ?? 0) }
            let formats = [Int32](repeating: 1, count: lengths.count)
            return PQsendQueryParams(
                handle.pointer, request.statement.sql, Int32(lengths.count), binds.types, values, lengths, formats, 1)
        }
        guard sent == 1, PQpipelineSync(handle.pointer) == 1 else {
            // libpq refuses before it writes only when the connection is already broken.
            let error = PostgresError(.closed, "the connection is broken: \(handle.message)")
            request.continuation?.resume(returning: .failure(error))
            condemn(error, grace: .zero)
            return
        }
        inFlight.append(request)
        load.add(1, ordering: .relaxed)
        notice(request.deadline)
    }

    private func readAnswers(_ handle: ConnectionHandle) {
        if script?.isSent == true { return readScriptAnswers(handle) }
        var empty = 0
        while answered < inFlight.count, PQisBusy(handle.pointer) == 0, empty < 64 {
            guard let pointer = PQgetResult(handle.pointer) else {
                empty += 1  // libpq moves to the next statement of the pipeline
                continue
            }
            empty = 0
            let result = ResultHandle(pointer)
            switch result.status {
            case PGRES_PIPELINE_SYNC: finishFirst()
            case PGRES_TUPLES_OK, PGRES_COMMAND_OK, PGRES_EMPTY_QUERY: answer = .success(Rows(result))
            case PGRES_FATAL_ERROR, PGRES_PIPELINE_ABORTED, PGRES_BAD_RESPONSE, PGRES_NONFATAL_ERROR:
                answer = .failure(result.error)
            default:
                answer = .failure(PostgresError(.server, "COPY can't be used here"))
                condemn(PostgresError(.connectionLost, "a COPY was started"), grace: .zero)
            }
        }
        if answered > 1024 || answered == inFlight.count { forgetAnswered() }
    }

    private func finishFirst() {
        let continuation = inFlight[answered].continuation.take()
        answered += 1
        load.subtract(1, ordering: .relaxed)
        let missing = PostgresError(.connectionLost, "the server skipped an answer")
        continuation?.resume(returning: answer.take() ?? .failure(missing))
    }

    private func forgetAnswered() {
        inFlight.removeFirst(answered)
        answered = 0
        startScriptIfDrained()
    }

    private func lost(_ handle: ConnectionHandle) {
        let last: PostgresError? = if case .failure(let error) = answer { error } else { nil }
        end(PostgresError(.connectionLost, last?.message ?? handle.message, sqlState: last?.sqlState))
    }
}
