import Daemon

extension Stack {
    /// Leaves everything running for `down --state`: notes it in a file, takes the tap away, which nobody would empty, and
    /// returns what a person needs to go on, as pairs of name and address.
    public func keep(in path: String, keepsData: Bool = false) async throws -> [(name: String, address: String)] {
        var state = StackState(folder: site.servers.folder, servers: site.servers, keepsData: keepsData)
        state.services = processes.map(\.child.identity)
        try state.write(path)
        try await tap.remove(from: site)
        return [
            ("gateway", gatewayURL),
            ("providers", providers.control),
            ("PostgreSQL", site.databaseURL),
            ("RabbitMQ", site.amqpURL),
            ("management", site.servers.rabbitmq.managementURL),
            ("logs", site.folder),
            ("stop", "\(site.programs.lab) down --state \(path)"),
        ]
    }
}
