public import AMQP
public import Daemon

/// Keeps the relay's connection to the broker. Put it before the relay, which is then stopped before it.
public struct PublisherService: Service {
    public let name = "broker"
    public let publisher: Publisher

    /// `instance` names this process on the broker's list of connections.
    public init(_ settings: ConnectionSettings, instance: String, metrics: Metrics) {
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

    public func run() async {
        await withTaskGroup { group in
            group.addTask { await publisher.run() }
            await Shutdown.current.wait()
            group.cancelAll()
        }
    }
}

extension LogKey {
    static let retryIn: LogKey = "retry.in"
}
