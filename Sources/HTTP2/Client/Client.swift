public import Reactor

/// A pool of HTTP/2 connections to one origin, for one credential. Opens connections when requests come, keeps to what
/// the server's SETTINGS allow, and gives every request exactly one result by its deadline. Lives on a thread of its own
/// until `close()`.
public actor Client: ReactorSource {
    public nonisolated let origin: Origin
    let settings: ClientSettings
    let context: TLSContext
    let scratch = Scratch()
    nonisolated let reactor: ReactorThread
    public nonisolated var unownedExecutor: UnownedSerialExecutor { reactor.asUnownedSerialExecutor() }

    var pool: Pool
    var connections: [Pool.ID: ClientConnection] = [:]
    var dials: [Pool.ID: Dial] = [:]
    var counted = ClientStatistics()
    private var waiting = WaitingLine()
    private var isClosed = false
    /// No request runs out of time before this. Kept low rather than exact: looking through all of them is rare then.
    private var earliestDeadline: ContinuousClock.Instant?
    private var nextCheck: ContinuousClock.Instant?

    /// `name` is the thread's. Throws if the trusted certificates can't be read.
    public init(origin: Origin, settings: ClientSettings = ClientSettings(), name: String = "http2") throws(HTTP2Error)
    {
        self.origin = origin
        self.settings = settings
        context = try TLSContext(trust: settings.trust)
        pool = Pool(settings: settings)
        reactor = ReactorThread(name: name)
    }

    /// Sends and waits for the one result, which is there at `deadline` at the latest. Cancelling the task gives up.
    public func send(_ request: Request, deadline: ContinuousClock.Instant) async -> RequestResult {
        let pending = PendingRequest(request: request, deadline: deadline, now: .now)
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                pending.begin(continuation)
                accept(pending)
            }
        } onCancel: {
            Task { await self.cancel(pending) }
        }
    }

    public func statistics() -> ClientStatistics {
        var now = counted
        now.connections = connections.values.count { $0.isReady }
        now.streamsOpen = pool.open
        now.streamsAllowed = pool.allowed
        now.waiting = waiting.count
        return now
    }

    /// The credential or its topics changed: requests from now on go to new connections, open ones may end on theirs.
    public func retire() {
        for id in connections.keys { pool.drained(id) }
        reactor.wake()
    }

    /// Ends everything: waiting requests are unprocessed, open ones ambiguous. The client is of no use afterwards.
    public func close() {
        guard !isClosed else { return }
        isClosed = true
        for pending in waiting.removeAll() { pending.finish(.unprocessed(.closed)) }
        for connection in connections.values {
            reactor.unwatch(connection.channel.descriptor)
            connection.close("client closed")
            connection.ended(ambiguous: .closed)
        }
        connections.removeAll()
        for dial in dials.values { dial.sockets.forEach { reactor.unwatch($0) } }
        dials.removeAll()
        reactor.remove(self)
    }

    // Not in `close()`: whoever still holds the client may call it, and has to get an answer.
    deinit { reactor.stop() }

    // MARK: Requests

    private func accept(_ pending: PendingRequest) {
        if isClosed { return pending.finish(.unprocessed(.closed)) }
        let now = ContinuousClock.now
        if pending.deadline <= now { return pending.finish(.unprocessed(.deadline)) }
        if let reason = pool.hopelessness(now: now) { return pending.finish(.unprocessed(.unreachable(reason))) }
        if waiting.count >= settings.waitingRequests { return pending.finish(.unprocessed(.queueFull)) }
        earliestDeadline = earliestDeadline.map { min($0, pending.deadline) } ?? pending.deadline
        if waiting.isEmpty, let id = pool.place(), let connection = connections[id] {
            connection.submit(pending, now: now)
        } else {
            waiting.append(pending)
            // The first request makes the client a source of the loop; before it there is nothing to do.
            reactor.add(self)
        }
    }

    private func cancel(_ pending: PendingRequest) {
        guard !pending.isDone else { return }
        end(pending, ambiguous: .cancelled, unprocessed: .cancelled)
    }

    private func end(_ pending: PendingRequest, ambiguous: Ambiguous, unprocessed: Unprocessed) {
        if let id = pending.connection, let connection = connections[id] {
            connection.abandon(pending, ambiguous: ambiguous, unprocessed: unprocessed)
        } else {
            pending.finish(.unprocessed(unprocessed))
            waiting.forgetOne()
        }
    }

    // MARK: The loop

    public nonisolated func turn() -> ContinuousClock.Instant? { assumeIsolated { $0.round() } }

    private func round() -> ContinuousClock.Instant? {
        guard !isClosed else { return nil }
        let now = ContinuousClock.now
        advanceDials(now: now)
        for connection in Array(connections.values) { settle(connection, now: now) }
        if let earliest = earliestDeadline, earliest <= now { expire(now: now) }
        if nextCheck.map({ $0 <= now }) ?? true { watchOver(now: now) }
        place(now: now)
        var soonest = [earliestDeadline, nextCheck].compactMap { $0 }.min()
        for dial in dials.values {
            let due = [dial.deadline, dial.nextAttempt].compactMap { $0 }.min() ?? dial.deadline
            soonest = soonest.map { min($0, due) } ?? due
        }
        return soonest
    }

    /// Gives waiting requests their streams, writes them, and opens another connection if that was not enough.
    private func place(now: ContinuousClock.Instant) {
        var touched = Set<Pool.ID>()
        while let pending = waiting.first {
            guard let id = pool.place() else { break }
            waiting.removeFirst()
            guard let connection = connections[id] else {
                pending.finish(.unprocessed(.connectionLost("gone")))
                continue
            }
            connection.submit(pending, now: now)
            touched.insert(id)
        }
        for id in touched { if let connection = connections[id] { settle(connection, now: now) } }
        if let reason = pool.hopelessness(now: now) {
            for pending in waiting.removeAll() { pending.finish(.unprocessed(.unreachable(reason))) }
        }
        if let id = pool.opening(waiting: waiting.count, now: now) { open(id, now: now) }
    }

    private func expire(now: ContinuousClock.Instant) {
        var earliest: ContinuousClock.Instant?
        func keep(_ pending: PendingRequest) {
            earliest = earliest.map { min($0, pending.deadline) } ?? pending.deadline
        }
        for pending in waiting.removeExpired(now: now) { pending.finish(.unprocessed(.deadline)) }
        waiting.forEach(keep)
        for connection in connections.values {
            for pending in connection.exchanges.values where !pending.isDone {
                if pending.deadline > now {
                    keep(pending)
                    continue
                }
                connection.abandon(pending, ambiguous: .timeout, unprocessed: .deadline)
                if connection.channel.lastReceived <= pending.startedAt { suspect(connection) }
            }
        }
        earliestDeadline = earliest
    }

    /// A request timed out and nothing was heard since it began: no more requests for this connection, and if it may be
    /// pinged, a PING decides over the others on it.
    private func suspect(_ connection: ClientConnection) {
        pool.drained(connection.id)
        connection.vigil.suspect()
        nextCheck = nil
    }

    private func watchOver(now: ContinuousClock.Instant) {
        nextCheck = nil
        for connection in Array(connections.values) {
            let open = connection.exchanges.count
            let lastReceived = connection.channel.lastReceived
            if !connection.isReady {
                if connection.connectDeadline <= now { connection.channel.end("TLS handshake timed out") }
                note(check: connection.connectDeadline)
            } else {
                switch connection.vigil.check(now: now, lastReceived: lastReceived, open: open) {
                case .none: break
                case .ping: connection.ping()
                case .condemn:
                    counted.connectionsCondemned += 1
                    connection.channel.end("silent: no answer to PING")
                case .closeIdle:
                    pool.drained(connection.id)
                    connection.close("idle")
                case .retire: pool.drained(connection.id)
                }
                if let next = connection.vigil.nextCheck(lastReceived: connection.channel.lastReceived) {
                    note(check: next)
                }
            }
            settle(connection, now: now)
        }
    }

    func note(check instant: ContinuousClock.Instant) { nextCheck = nextCheck.map { min($0, instant) } ?? instant }
}
