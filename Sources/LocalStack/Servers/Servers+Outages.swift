import Glibc

/// What befalls servers, for tests and campaigns. Ports, passwords and, but for `emptyBroker`, data stay.
extension Servers {
    /// Ends PostgreSQL, in good order or as a crash would.
    public func stopPostgres(immediately: Bool = false) async { await postgres.stop(immediately: immediately) }

    public mutating func startPostgres() async throws {
        try await postgres.startAgain(try InstalledServers.find(), in: folder)
    }

    public func stopBroker() async { await rabbitmq.halt() }

    public mutating func startBroker() async throws {
        rabbitmq = try await rabbitmq.startedAgain(try InstalledServers.find(), folder: folder)
    }

    /// Deletes everything that RabbitMQ holds, as the loss of its disk would; users and queues are gone too.
    public mutating func emptyBroker() async throws {
        rabbitmq = try await rabbitmq.restartedEmpty(try InstalledServers.find(), folder: folder)
    }

    /// The broker keeps its connections and does nothing until `thawBroker`.
    public func freezeBroker() { rabbitmq.process.signal(SIGSTOP) }

    public func thawBroker() { rabbitmq.process.signal(SIGCONT) }

    /// Runs `rabbitmqctl` to its end.
    public func controlBroker(_ arguments: [String]) async throws {
        try await rabbitmq.control(arguments, try InstalledServers.find(), folder: folder)
    }
}
