public import AMQP
public import Daemon

/// Keeps the relay's two connections to the broker: one publishes, the other asks about queues, because a broker that
/// takes no messages (memory alarm) stops reading from connections that publish, questions included. Put it before the
/// relay, which is then stopped before it.
public struct BrokerService: Service {
    public let name = "broker"
    let publisher: Publisher
    let questions: Publisher
    private let address: String

    /// `instance` names this process on the broker's list of connections.
    public init(_ settings: ConnectionSettings, instance: String, metrics: Metrics) {
        address = settings.description
        let relayMetrics = RelayMetrics(metrics)
        let report: @Sendable (LinkEvent) -> Void = { event in
            switch event {
            case .connected(let address): Log.info("connected to the broker", [.address: .string("\(address)")])
            case .lost(let error, let retryIn):
                relayMetrics.reconnected("\(error.kind)").add()
                Log.warning(
                    "no connection to the broker",
                    [.cause: .string(error.description), .retryIn: .string("\(retryIn)")])
            }
        }
        publisher = Publisher(settings, name: "relay/\(instance)/publish", onEvent: report)
        questions = Publisher(settings, name: "relay/\(instance)/ask", onEvent: report)
    }

    /// Throws a `CommandFailure` if the first contact shows a fault that waiting does not mend.
    public func run() async throws {
        try await withThrowingTaskGroup { group in
            group.addTask { await publisher.run() }
            group.addTask { await questions.run() }
            defer { group.cancelAll() }
            try await BrokerStart(publisher: questions, address: address).wait()
            await Shutdown.current.wait()
        }
    }
}

extension LogKey {
    static let retryIn: LogKey = "retry.in"
}
