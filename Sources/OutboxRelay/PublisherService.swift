public import AMQP
public import Daemon

/// Keeps the relay's connection to the broker. Put it before the relay, which is then stopped before it.
public struct PublisherService: Service {
    public let name = "broker"
    public let publisher: Publisher
    private let address: String

    /// `instance` names this process on the broker's list of connections.
    public init(_ settings: ConnectionSettings, instance: String, metrics: Metrics) {
        address = settings.description
        let relayMetrics = RelayMetrics(metrics)
        publisher = Publisher(settings, name: "relay/\(instance)/publish") { event in
            switch event {
            case .connected(let address): Log.info("connected to the broker", [.address: .string("\(address)")])
            case .lost(let error, let retryIn):
                relayMetrics.reconnected("\(error.kind)").add()
                Log.warning(
                    "no connection to the broker",
                    [.cause: .string(error.description), .retryIn: .string("\(retryIn)")])
            }
        }
    }

    /// Throws a `CommandFailure` if the first contact shows a fault that waiting does not mend.
    public func run() async throws {
        try await withThrowingTaskGroup { group in
            group.addTask { await publisher.run() }
            defer { group.cancelAll() }
            try await BrokerStart(publisher: publisher, address: address).wait()
            await Shutdown.current.wait()
        }
    }
}

extension LogKey {
    static let retryIn: LogKey = "retry.in"
}
