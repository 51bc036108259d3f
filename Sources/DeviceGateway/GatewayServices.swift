public import AMQP
public import Cryptography
public import Daemon
public import HTTPServer
public import Postgres
import Storage

/// A gateway and what it leans on, in the order of their start.
public enum GatewayServices {
    public static func make(
        _ configuration: Configuration, database settings: Postgres.ConnectionSettings,
        broker: AMQP.ConnectionSettings, tokenKeys: TokenKeys, credentials: ProducerCredentials, context: DaemonContext,
        onListening: @escaping @Sendable (Address) -> Void = { _ in }
    ) -> [any Service] {
        let database = Database(settings, connections: configuration.databaseConnections)
        let publisher = Publisher(broker, name: "gateway/\(context.instance)/publish")
        let store = GatewayStore(database: database, limit: configuration.databaseTimeout)
        let front = Front(
            device: DeviceAPI(
                store: store, vault: TokenVault(keys: tokenKeys),
                acks: BrokerAcks(publisher: publisher, limit: configuration.confirmTimeout), settings: configuration),
            producer: ProducerAPI(
                store: store, credentials: credentials, ticketLifetime: configuration.ticketLifetime),
            metrics: GatewayMetrics(metrics: context.metrics))
        return [
            DatabaseService(
                database, readiness: context.readiness, tables: ["delivery.device", "delivery.fanout_lease"]),
            BrokerService(
                publisher: publisher, condition: context.readiness.condition("broker", waitingFor: "RabbitMQ")),
            Gateway(configuration, front: front, onListening: onListening),
        ]
    }
}
