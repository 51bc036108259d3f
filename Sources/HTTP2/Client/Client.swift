public import Reactor
import Synchronization

/// A pool of HTTP/2 connections to one origin, for one credential. Opens connections when requests come, keeps to what
/// the server's SETTINGS allow, and gives every request exactly one result by its deadline. Lives on a thread of its own
/// until `close()`.
public actor Client: ReactorSource {
    public nonisolated let origin: Origin
    public nonisolated let gauges = ClientGauges()
    let settings: ClientSettings
    let context: TLSContext
    let scratch = Scratch()
    /// Tasks that prefer it send and are resumed without a change of threads.
    public nonisolated let taskExecutor: ReactorTaskExecutor
    nonisolated var reactor: ReactorThread { taskExecutor.thread }
    let lookUp: Resolver.LookUp
    let observe: (@Sendable (ClientEvent) -> Void)?
    public nonisolated var unownedExecutor: UnownedSerialExecutor { reactor.asUnownedSerialExecutor() }

    var pool: Pool
    var book = AddressBook()
    var connections: [Pool.ID: ClientConnection] = [:]
    var dials: [Pool.ID: Dial] = [:]
    var counted = ClientStatistics()
    private let inbox = Inbox()
    /// Lent to the inbox, empty, for what is in it.
    private var arrived: [PendingRequest] = []
    private var waiting = WaitingLine()
    private var isClosed = false
    /// No request runs out of time before this. Kept low rather than exact: looking through all of them is rare then.
    private var earliestDeadline: ContinuousClock.Instant?
    var nextCheck: ContinuousClock.Instant?
    private var nextCancellationCheck = ContinuousClock.Instant.now

    /// `name` is the thread's; `observe` hears what happens. Throws if the trusted certificates can't be read.
    public init(
        origin: Origin, settings: ClientSettings = ClientSettings(), name: String = "http2",
        observe: (@Sendable (ClientEvent) -> Void)? = nil
    ) throws(HTTP2Error) {
        try self.init(origin: origin, settings: settings, name: name, observe: observe, lookUp: Resolver.system)
    }

    init(
        origin: Origin, settings: ClientSettings, name: String = "http2",
        observe: (@Sendable (ClientEvent) -> Void)? = nil, lookUp: @escaping Resolver.LookUp
    ) throws(HTTP2Error) {
        self.origin = origin
        self.settings = settings
        self.observe = observe
        self.lookUp = lookUp
        context = try TLSContext(trust: settings.trust)
        pool = Pool(settings: settings)
        taskExecutor = ReactorTaskExecutor(name: name)
    }

    /// Sends and waits for the one result, which is there at `deadline` at the latest. Cancelling the task gives up soon
    /// (`ClientSettings.cancellationCheck`).
    ///
    /// Without a cancellation handler: its closure takes every request to the system's threads and back.
    public nonisolated(nonsending) func send(
        _ request: Request, deadline: ContinuousClock.Instant
    ) async -> RequestResult {
        if Task.isCancelled { return .unprocessed(.cancelled) }
        let pending = PendingRequest(request: request, deadline: deadline)
        return await withUnsafeContinuation { continuation in
            pending.begin(continuation, of: withUnsafeCurrentTask { $0 })
            switch inbox.put(pending) {
            case .taken: reactor.wake()
            case .first: Task { await self.begin() }
            case .closed: pending.finish(.unprocessed(.closed))
            }
        }
    }

    public func statistics() -> ClientStatistics {
        // What was called back just now counts, too.
        for connection in connections.values { takeNews(of: connection, now: .now) }
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
        for pending in inbox.close() + waiting.removeAll() { pending.finish(.unprocessed(.closed)) }
        for connection in connections.values {
            reactor.unwatch(connection.channel.descriptor)
            connection.close("client closed")
            connection.ended(ambiguous: .closed)
        }
        connections.removeAll()
        for dial in dials.values { dial.sockets.keys.forEach { reactor.unwatch($0) } }
        dials.removeAll()
        reactor.remove(self)
        publishGauges()
    }

    // MARK: Requests

    /// The first request makes the client a source of the loop; before it there is nothing to do.
    private func begin() {
        guard !isClosed else { return }
        reactor.add(self)
    }

    private func takeArrivals(now: ContinuousClock.Instant) {
        inbox.exchange(&arrived)
        for pending in arrived { accept(pending, now: now) }
        arrived.removeAll(keepingCapacity: true)
    }

    private func accept(_ pending: PendingRequest, now: ContinuousClock.Instant) {
        if pending.deadline <= now { return pending.finish(.unprocessed(.deadline)) }
        if pool.isTroubled, let reason = pool.hopelessness(now: now) {
            return pending.finish(.unprocessed(.unreachable(reason)))
        }
        if waiting.count >= settings.waitingRequests { return pending.finish(.unprocessed(.queueFull)) }
        if earliestDeadline.map({ pending.deadline < $0 }) ?? true { earliestDeadline = pending.deadline }
        if waiting.isEmpty, let id = pool.place(now: now), let connection = connections[id] {
            connection.submit(pending, now: now)
        } else {
            waiting.append(pending)
        }
    }

    /// Looks for requests whose tasks were cancelled.
    private func giveUpCancelled(now: ContinuousClock.Instant) {
        nextCancellationCheck = now + settings.cancellationCheck
        var found: [PendingRequest] = []
        waiting.forEach { if $0.isCancelled { found.append($0) } }
        for pending in found {
            pending.finish(.unprocessed(.cancelled))
            waiting.forgetOne()
        }
        for connection in connections.values {
            for pending in connection.exchanges where pending.isCancelled {
                connection.abandon(pending, ambiguous: .cancelled, unprocessed: .cancelled)
            }
        }
    }

    // MARK: The loop

    public nonisolated func turn() -> ContinuousClock.Instant? { assumeIsolated { $0.round() } }

    private func round() -> ContinuousClock.Instant? {
        guard !isClosed else { return nil }
        let now = ContinuousClock.now
        advanceDials(now: now)
        for connection in connections.values { takeNews(of: connection, now: now) }
        takeArrivals(now: now)
        if let earliest = earliestDeadline, earliest <= now { expire(now: now) }
        if nextCancellationCheck <= now { giveUpCancelled(now: now) }
        if nextCheck.map({ $0 <= now }) ?? true { watchOver(now: now) }
        place(now: now)
        // One write for all that the round gave each connection.
        for connection in connections.values { settle(connection, now: now) }
        publishGauges()
        var soonest = [earliestDeadline, nextCheck].compactMap { $0 }.min()
        for dial in dials.values {
            let due = min(dial.deadline, dial.nextAttempt ?? dial.deadline)
            soonest = soonest.map { min($0, due) } ?? due
        }
        if !waiting.isEmpty, let notBefore = pool.notBefore, notBefore > now {
            soonest = soonest.map { min($0, notBefore) } ?? notBefore
        }
        if pool.open > 0 || !waiting.isEmpty {
            soonest = soonest.map { min($0, nextCancellationCheck) } ?? nextCancellationCheck
        }
        return soonest
    }

    /// Gives waiting requests their streams, and opens another connection if that was not enough.
    private func place(now: ContinuousClock.Instant) {
        while let pending = waiting.first {
            guard let id = pool.place(now: now) else { break }
            waiting.removeFirst()
            guard let connection = connections[id] else {
                pending.finish(.unprocessed(.connectionLost("gone")))
                continue
            }
            connection.submit(pending, now: now)
        }
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
            for pending in connection.exchanges where !pending.isDone {
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

    private func publishGauges() {
        gauges.connections.store(connections.values.count { $0.isReady }, ordering: .relaxed)
        gauges.streamsOpen.store(pool.open, ordering: .relaxed)
        gauges.streamsAllowed.store(pool.allowed, ordering: .relaxed)
        gauges.waiting.store(waiting.count, ordering: .relaxed)
    }
}
