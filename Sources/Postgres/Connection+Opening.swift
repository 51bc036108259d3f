import CPostgres
import Reactor

extension Connection {
    func connect() async -> PostgresError? {
        guard let handle = ConnectionHandle(starting: settings) else {
            return PostgresError(.unreachable, "no memory for a connection")
        }
        self.handle = handle
        if handle.isBroken {
            let error = handle.connectionFailure(to: settings)
            end(error)
            return error
        }
        reactor.add(Turner(connection: self))
        let deadline = ContinuousClock.now + settings.connectTimeout
        watch(.write)
        return await withCheckedContinuation { phase = .connecting($0, until: deadline) }
    }

    /// Continues the handshake when the socket became ready for what it waited for (calling `PQconnectPoll` sooner would
    /// take a connection that is still being made for one that is made).
    func pollConnecting(
        _ continuation: CheckedContinuation<PostgresError?, Never>, until deadline: ContinuousClock.Instant
    ) -> ContinuousClock.Instant? {
        guard let handle else { return nil }
        if !ready.isEmpty {
            ready = []
            switch PQconnectPoll(handle.pointer) {
            case PGRES_POLLING_READING: watch(.read)
            case PGRES_POLLING_WRITING: watch(.write)
            case PGRES_POLLING_OK: return opened(continuation)
            default:
                end(handle.connectionFailure(to: settings))
                return nil
            }
        }
        guard deadline <= .now else { return deadline }
        end(PostgresError(.unreachable, "PostgreSQL at \(settings.address) did not answer in time"))
        return nil
    }

    private func opened(_ continuation: CheckedContinuation<PostgresError?, Never>) -> ContinuousClock.Instant? {
        guard let handle, PQsetnonblocking(handle.pointer, 1) == 0, PQenterPipelineMode(handle.pointer) == 1 else {
            end(PostgresError(.unreachable, "PostgreSQL at \(settings.address) can't be used in pipeline mode"))
            return nil
        }
        phase = .open
        watch(.read)
        continuation.resume(returning: nil)
        return nil
    }

    /// Watches the library's socket, which changes when it tries another address.
    func watch(_ interest: Readiness) {
        guard let descriptor = handle?.descriptor, descriptor >= 0 else { return }
        if let watched, watched == (descriptor, interest) { return }
        if let watched, watched.descriptor != descriptor { reactor.unwatch(watched.descriptor) }
        watched = (descriptor, interest)
        reactor.watch(descriptor, for: interest) { [weak self] readiness in
            self?.assumeIsolated { $0.ready.formUnion(readiness) }
        }
    }
}

/// What the reactor holds: it must not keep a connection alive that nobody uses any more.
private final class Turner: ReactorSource {
    private weak let connection: Connection?

    init(connection: Connection) { self.connection = connection }

    func turn() -> ContinuousClock.Instant? { connection?.assumeIsolated { $0.turn() } }
}
