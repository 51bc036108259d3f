import Reactor

// How connections come and go. Everything here runs on the reactor thread.
extension Client {
    /// Begins the connection that the pool asked for: name look-up, sockets, TLS, all before one deadline.
    func open(_ id: Pool.ID, now: ContinuousClock.Instant) {
        dials[id] = Dial(deadline: now + settings.connectTimeout)
        Resolver.lookUp(host: origin.host, port: origin.port) { [weak self] found in
            Task { await self?.lookedUp(id, found) }
        }
    }

    private func lookedUp(_ id: Pool.ID, _ found: Result<[SocketAddress], HTTP2Error>) {
        guard let dial = dials[id] else { return }
        switch found {
        case .failure(let error): failed(id, reason: error.description, now: .now)
        case .success(let addresses):
            dial.resolved(SocketAddress.attempts(addresses, rotation: id - 1), now: .now)
            advanceDials(now: .now)
        }
    }

    /// Starts attempts that are due and ends dials that are out of time or out of addresses.
    func advanceDials(now: ContinuousClock.Instant) {
        guard !dials.isEmpty else { return }
        for (id, dial) in dials {
            while let socket = dial.attempt(now: now) {
                reactor.watch(socket, for: .write) { [weak self] _ in
                    self?.assumeIsolated { $0.socketReady(socket, of: id) }
                }
            }
            if dial.isExhausted {
                failed(id, reason: "\(origin): \(dial.lastError)", now: now)
            } else if dial.deadline <= now {
                failed(id, reason: "\(origin): connecting timed out", now: now)
            }
        }
    }

    private func socketReady(_ socket: Int32, of id: Pool.ID) {
        reactor.unwatch(socket)
        guard let dial = dials[id], dial.ready(socket, now: .now) else { return }
        dial.sockets.forEach { reactor.unwatch($0) }
        dials[id] = nil  // closes the others
        let channel = Channel(descriptor: socket, tls: TLSPipe(context: context, host: origin.host), scratch: scratch)
        let vigil = Vigil(upkeep: settings.upkeep, openedAt: .now, jitter: .random(in: 0...1))
        let connection = ClientConnection(
            id: id, channel: channel, origin: origin, settings: settings, scratch: scratch, vigil: vigil,
            connectDeadline: dial.deadline)
        connections[id] = connection
        note(check: dial.deadline)
        connection.begin()
        watch(connection)
    }

    private func watch(_ connection: ClientConnection) {
        let id = connection.id
        connection.isWatchedForWriting = connection.channel.wantsWrite
        reactor.watch(connection.channel.descriptor, for: connection.isWatchedForWriting ? [.read, .write] : .read) {
            [weak self] readiness in
            self?.assumeIsolated { client in
                guard let connection = client.connections[id] else { return }
                if readiness != .write { connection.receive() }
            }
        }
    }

    private func failed(_ id: Pool.ID, reason: String, now: ContinuousClock.Instant) {
        if let dial = dials.removeValue(forKey: id) { dial.sockets.forEach { reactor.unwatch($0) } }
        counted.connectionsFailed += 1
        pool.ended(id, reason: reason, now: now, jitter: .random(in: 0.5...1))
        reactor.wake()
    }

    /// Writes what there is to write, takes the connection's news, and lets it go if it is over.
    func settle(_ connection: ClientConnection, now: ContinuousClock.Instant) {
        connection.flush()
        let news = connection.news
        connection.news = ClientConnection.News()
        let id = connection.id
        if news.isReady {
            counted.connectionsOpened += 1
            pool.connected(id)
            note(check: now)
        }
        if let limit = news.limit { pool.limitChanged(id, to: limit) }
        if news.answered { pool.answered(id) }
        if news.closedStreams > 0 { pool.streamsClosed(id, count: news.closedStreams) }
        if let goAway = news.goAway {
            counted.goAways[Self.reason(goAway), default: 0] += 1
            pool.drained(id)
        }
        if news.isExhausted { pool.drained(id) }
        // Drained and empty: nobody needs it any more.
        if connection.channel.ending == nil, connection.exchanges.isEmpty, pool[id]?.phase == .draining {
            connection.close("drained")
        }
        if let reason = connection.channel.ending { return ended(connection, reason: reason, now: now) }
        if connection.channel.wantsWrite != connection.isWatchedForWriting { watch(connection) }
    }

    private func ended(_ connection: ClientConnection, reason: String, now: ContinuousClock.Instant) {
        reactor.unwatch(connection.channel.descriptor)
        connections[connection.id] = nil
        if !connection.isReady { counted.connectionsFailed += 1 }
        connection.ended()
        if pool[connection.id]?.phase == .draining, connection.goAway == nil {
            pool.closed(connection.id)
        } else {
            let said = connection.goAway.map { "GOAWAY \(Self.reason($0))" } ?? reason
            pool.ended(connection.id, reason: "\(origin): \(said)", now: now, jitter: .random(in: 0.5...1))
        }
        reactor.wake()
    }

    /// APNs puts JSON with a `reason` into the debug data; others put a word.
    private static func reason(_ goAway: GoAway) -> String {
        guard let key = goAway.debug.range(of: "\"reason\"") else {
            return goAway.debug.isEmpty ? goAway.code.description : goAway.debug
        }
        let parts = goAway.debug[key...].split(separator: "\"", omittingEmptySubsequences: false)
        return parts.count > 3 ? String(parts[3]) : goAway.debug
    }
}

extension String {
    fileprivate func range(of text: String) -> String.Index? {
        indices.first { self[$0...].hasPrefix(text) }
    }
}
