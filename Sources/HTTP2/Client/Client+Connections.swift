import Reactor

// How connections come and go. Everything here runs on the reactor thread.
extension Client {
    /// Begins the connection that the pool asked for: name look-up, sockets, proxy, TLS, all before one deadline.
    func open(_ id: Pool.ID, now: ContinuousClock.Instant) {
        dials[id] = Dial(deadline: now + settings.connectTimeout, stagger: settings.connectStagger)
        let host = settings.proxy?.host ?? origin.host
        lookUp(host, settings.proxy?.port ?? origin.port) { [weak self] found in
            Task { await self?.lookedUp(id, found) }
        }
    }

    private func lookedUp(_ id: Pool.ID, _ found: Result<[SocketAddress], HTTP2Error>) {
        guard let dial = dials[id] else { return }
        switch found {
        case .failure(let error): failed(id, reason: error.description, now: .now)
        case .success(let addresses):
            dial.resolved(book.order(addresses), now: .now)
            advanceDials(now: .now)
        }
    }

    /// Starts attempts that are due and ends dials that are out of time or out of addresses.
    func advanceDials(now: ContinuousClock.Instant) {
        for (id, dial) in dials {
            while let socket = dial.attempt(now: now) {
                reactor.watch(socket, for: .write) { [weak self] _ in
                    self?.assumeIsolated { $0.socketReady(socket, of: id) }
                }
            }
            let peer = settings.proxy?.description ?? origin.description
            if dial.isExhausted {
                failed(id, reason: "\(peer): \(dial.lastError)", now: now)
            } else if dial.deadline <= now {
                failed(id, reason: "\(peer): connecting timed out", now: now)
            }
        }
    }

    private func socketReady(_ socket: Int32, of id: Pool.ID) {
        reactor.unwatch(socket)
        guard let dial = dials[id], let address = dial.ready(socket, now: .now) else { return }
        remember(dial)
        dials[id] = nil  // closes the others
        let channel = Channel(descriptor: socket, tls: TLSPipe(context: context, host: origin.host), scratch: scratch)
        let vigil = Vigil(upkeep: settings.upkeep, openedAt: .now, jitter: .random(in: 0...1))
        let connection = ClientConnection(
            id: id, address: address, channel: channel, origin: origin, settings: settings, scratch: scratch,
            vigil: vigil, connectDeadline: dial.deadline, observe: observe)
        connections[id] = connection
        book.opened(address)
        note(check: dial.deadline)
        connection.begin()
        watch(connection)
    }

    /// Addresses that failed, or did not answer while another one did.
    private func remember(_ dial: Dial) {
        for address in dial.failed + dial.sockets.values { book.failed(address) }
        dial.sockets.keys.forEach { reactor.unwatch($0) }
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
        if let dial = dials.removeValue(forKey: id) { remember(dial) }
        counted.connectionsFailed += 1
        observe?(.failed(reason))
        pool.ended(id, reason: reason, now: now, jitter: .random(in: 0.5...1))
        reactor.wake()
    }

    /// Tells the pool what happened on a connection.
    func takeNews(of connection: ClientConnection, now: ContinuousClock.Instant) {
        let news = connection.news
        connection.news = ClientConnection.News()
        let id = connection.id
        if news.isReady {
            counted.connectionsOpened += 1
            observe?(.opened)
            pool.connected(id, now: now)
            note(check: now)
        }
        if let limit = news.limit { pool.limitChanged(id, to: limit) }
        if news.isRefusing { pool.refused(id) }
        if news.answered {
            pool.answered(id)
            book.worked(connection.address)
        }
        if news.closedStreams > 0 { pool.streamsClosed(id, count: news.closedStreams) }
        if let goAway = news.goAway {
            counted.goAways[Self.reason(goAway), default: 0] += 1
            observe?(.goAway(Self.reason(goAway)))
            pool.drained(id)
        }
        if news.isExhausted { pool.drained(id) }
    }

    /// Writes what there is to write, and lets the connection go if it is over.
    func settle(_ connection: ClientConnection, now: ContinuousClock.Instant) {
        connection.flush()
        let freed = connection.news.closedStreams > 0 || connection.news.isReady
        takeNews(of: connection, now: now)
        // Streams that ended while writing may be what others wait for.
        if freed { reactor.wake() }
        // Drained and empty: nobody needs it any more.
        if connection.channel.ending == nil, connection.exchanges.isEmpty, pool[connection.id]?.phase == .draining {
            connection.close("drained")
        }
        if let reason = connection.channel.ending { return ended(connection, reason: reason, now: now) }
        if connection.channel.wantsWrite != connection.isWatchedForWriting { watch(connection) }
    }

    private func ended(_ connection: ClientConnection, reason: String, now: ContinuousClock.Instant) {
        reactor.unwatch(connection.channel.descriptor)
        connections[connection.id] = nil
        book.closed(connection.address)
        let said = "\(origin): \(connection.goAway.map { "GOAWAY \(Self.reason($0))" } ?? reason)"
        if !connection.isReady {
            counted.connectionsFailed += 1
            observe?(.failed(said))
        }
        connection.ended()
        if pool[connection.id]?.phase == .draining, connection.goAway == nil {
            pool.closed(connection.id)
        } else {
            let isFarewell = connection.goAway != nil
            if !isFarewell, pool[connection.id]?.isProven != true { book.failed(connection.address) }
            pool.ended(
                connection.id, reason: said, isFarewell: isFarewell, now: now, jitter: .random(in: 0.5...1))
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
