public import Daemon

/// A private PostgreSQL and a private RabbitMQ in one folder; starting and stopping leaves nothing behind.
public struct Servers: Codable, Equatable, Sendable {
    public let folder: PrivateFolder
    public internal(set) var postgres: PostgresServer
    public internal(set) var rabbitmq: RabbitMQServer
    /// Of every database role and broker user that the stacks on these servers make.
    public let servicePassword: String

    /// Starts both at once under the folder `temporary`. When one fails, or the task is cancelled, whatever came up is
    /// stopped and removed before the error is thrown.
    /// `onFolder` is called before anything runs. `durable`: PostgreSQL waits for the disk as it does in production, for
    /// measurements.
    public static func start(
        under temporary: String, durable: Bool = false, onFolder: (PrivateFolder) throws -> Void = { _ in }
    ) async throws -> Servers {
        let installed = try InstalledServers.find()
        let folder = try PrivateFolder(under: temporary)
        do {
            try onFolder(folder)
            async let postgres = PostgresServer.start(installed, in: folder, durable: durable)
            async let rabbitmq = RabbitMQServer.start(installed, in: folder)
            let servers = Servers(
                folder: folder, postgres: try await postgres, rabbitmq: try await rabbitmq,
                servicePassword: RandomWord.make())
            try Task.checkCancellation()
            return servers
        } catch {
            // Both starts have ended here, so nothing new can appear any more.
            await Leftovers.end(of: folder.path)
            folder.remove()
            throw error
        }
    }

    /// Stops both and everything that they started; removes the folder unless `keepingData`.
    public func stop(keepingData: Bool = false) async throws(CommandFailure) {
        let installed = try InstalledServers.find()
        async let database: Void = postgres.stop()
        async let broker: Void = rabbitmq.stop(installed, folder: folder)
        _ = await (database, broker)
        await Leftovers.end(of: folder.path)
        if !keepingData { folder.remove() }
    }
}
