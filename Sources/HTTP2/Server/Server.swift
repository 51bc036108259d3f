public import Reactor

/// An HTTP/2 (and, if allowed, HTTP/1.1) server over TLS whose handler decides everything about every request, misbehaviour included: the ground
/// under the simulated providers. One thread serves all connections.
public actor Server: ReactorSource {
    public nonisolated let port: UInt16
    private let listener: Int32
    private let settings: ServerSettings
    private let context: TLSContext
    private let handler: @Sendable (ReceivedRequest) -> Reply
    private nonisolated let reactor: ReactorThread
    public nonisolated var unownedExecutor: UnownedSerialExecutor { reactor.asUnownedSerialExecutor() }

    private let scratch = Scratch()
    private var connections: [Int: ServerConnection] = [:]
    private var touched: Set<Int> = []
    /// Connections accepted since the start.
    public private(set) var accepted = 0
    private var isStopped = false
    private var nextCheck = ContinuousClock.now

    /// Listens from now on. `handler` runs on the server's thread and must not block; long work goes into `.later`.
    public static func start(
        _ settings: ServerSettings, name: String = "http2-server",
        handler: @escaping @Sendable (ReceivedRequest) -> Reply
    ) async throws(HTTP2Error) -> Server {
        let server = try Server(settings, name: name, handler: handler)
        await server.begin()
        return server
    }

    private init(
        _ settings: ServerSettings, name: String, handler: @escaping @Sendable (ReceivedRequest) -> Reply
    ) throws(HTTP2Error) {
        context = try TLSContext(identity: settings.identity, http1: settings.allowsHTTP1)
        (listener, port) = try Listening.open(host: settings.host, port: settings.port)
        self.settings = settings
        self.handler = handler
        reactor = ReactorThread(name: name)
    }

    private func begin() {
        reactor.add(self)
        reactor.watch(listener, for: .read) { [weak self] _ in self?.assumeIsolated { $0.accept() } }
    }

    public func stop() {
        guard !isStopped else { return }
        isStopped = true
        reactor.unwatch(listener)
        Listening.close(listener)
        for connection in connections.values {
            connection.close()
            forget(connection)
        }
        reactor.remove(self)
    }

    // Not in `stop()`: exchanges that are still held may call in, and have to get an answer.
    deinit { reactor.stop() }

    /// Connections open now.
    public var connectionCount: Int { connections.count }

    // MARK: All connections at once

    public func goAway(code: ErrorCode = .noError, debug: String = "") {
        for connection in connections.values {
            act(connection) { $0.goAway(lastStream: nil, Farewell(code: code, debug: debug)) }
        }
    }

    public func setConcurrentStreams(_ count: UInt32) {
        for connection in connections.values { act(connection) { $0.setConcurrentStreams(count) } }
    }

    public func silence() {
        for connection in connections.values { act(connection) { $0.silence() } }
    }

    public func disconnect() {
        for connection in connections.values { act(connection) { $0.disconnect() } }
    }

    // MARK: One exchange

    @discardableResult
    func act<Result>(_ request: ReceivedRequest, _ body: (ServerConnection) -> Result) -> Result? {
        guard let connection = connections[request.connection] else { return nil }
        return act(connection, body)
    }

    @discardableResult
    func act(_ request: ReceivedRequest, _ body: (ServerConnection) -> Bool) -> Bool {
        guard let connection = connections[request.connection] else { return false }
        return act(connection, body)
    }

    private func act<Result>(_ connection: ServerConnection, _ body: (ServerConnection) -> Result) -> Result {
        touched.insert(connection.id)
        return body(connection)
    }

    // MARK: The loop

    private func accept() {
        while let descriptor = Listening.accept(listener) {
            accepted += 1
            let channel = Channel(descriptor: descriptor, tls: TLSPipe(context: context), scratch: scratch)
            let connection = ServerConnection(
                id: accepted, channel: channel, settings: settings, scratch: scratch, decide: handler)
            connections[connection.id] = connection
            watch(connection)
        }
    }

    private func watch(_ connection: ServerConnection) {
        let id = connection.id
        connection.isWatchedForWriting = connection.channel.wantsWrite
        reactor.watch(connection.channel.descriptor, for: connection.isWatchedForWriting ? [.read, .write] : .read) {
            [weak self] readiness in
            self?.assumeIsolated { server in
                guard let connection = server.connections[id] else { return }
                server.touched.insert(id)
                if readiness != .write { connection.receive() }
            }
        }
    }

    public nonisolated func turn() -> ContinuousClock.Instant? { assumeIsolated { $0.round() } }

    private func round() -> ContinuousClock.Instant? {
        let next = checkLimits()
        for id in touched {
            guard let connection = connections[id] else { continue }
            connection.flush()
            settle(connection)
        }
        touched.removeAll(keepingCapacity: true)
        return next
    }

    /// Looks at all connections now and then, if the settings limit anything. Returns when it wants to look again.
    private func checkLimits() -> ContinuousClock.Instant? {
        guard settings.limits.needsClock, !connections.isEmpty else { return nil }
        let now = ContinuousClock.now
        guard now >= nextCheck else { return nextCheck }
        for connection in connections.values {
            connection.check(now)
            touched.insert(connection.id)
        }
        nextCheck = now + .milliseconds(200)
        return nextCheck
    }

    private func settle(_ connection: ServerConnection) {
        for (request, work) in connection.later {
            let exchange = Exchange(request: request, server: self)
            Task { @concurrent in await work(exchange) }
        }
        connection.later.removeAll(keepingCapacity: true)
        if connection.channel.isSilent { return reactor.unwatch(connection.channel.descriptor) }
        if connection.channel.ending != nil {
            forget(connection)
        } else if connection.channel.wantsWrite != connection.isWatchedForWriting {
            watch(connection)
        }
    }

    private func forget(_ connection: ServerConnection) {
        reactor.unwatch(connection.channel.descriptor)
        connections[connection.id] = nil
    }
}
