// Which connections are asked whether they live, given up or let go. Everything here runs on the reactor thread.
extension Client {
    /// A request timed out and nothing was heard since it began: no more requests for this connection, and if it may be
    /// pinged, a PING decides over the others on it.
    func suspect(_ connection: ClientConnection) {
        pool.drained(connection.id)
        connection.vigil.suspect()
        book.failed(connection.address)
        nextCheck = nil
    }

    func watchOver(now: ContinuousClock.Instant) {
        nextCheck = nil
        for connection in connections.values {
            guard connection.isReady else {
                if connection.connectDeadline <= now { connection.channel.end(connection.handshakeOverdue) }
                note(check: connection.connectDeadline)
                continue
            }
            let action = connection.vigil.check(
                now: now, lastReceived: connection.channel.lastReceived, open: connection.exchanges.count)
            switch action {
            case .none: break
            case .ping: connection.ping()
            case .condemn:
                counted.connectionsCondemned += 1
                observe?(.condemned)
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
    }

    func note(check instant: ContinuousClock.Instant) { nextCheck = nextCheck.map { min($0, instant) } ?? instant }
}
