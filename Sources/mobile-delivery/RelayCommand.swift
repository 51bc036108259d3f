import AMQP
import Daemon
import OutboxRelay
import Postgres
import Storage

extension Command {
    /// Runs until SIGTERM; start more of it for more throughput or for safety.
    static let relay = Command(
        "relay", summary: "Publish due rows of the outbox with confirms; publish again what got no outcome."
    ) { _ in
        try await DaemonMain.run("relay") { context in
            let reader = context.environment
            let configuration = OutboxRelay.Configuration(reader)
            let server = reader.secret("DATABASE_URL", expected: "postgres://user:password@host:port/database") {
                try Postgres.ConnectionSettings(url: $0)
            }
            let broker = reader.secret("AMQP_URL", expected: "amqp[s]://user:password@host[:port]/vhost") {
                try AMQP.ConnectionSettings(url: $0)
            }
            try reader.finish()
            guard let server = server?.revealed, let broker = broker?.revealed else { return [] }
            let database = Database(server, connections: 3)
            let service = BrokerService(broker, instance: context.instance, metrics: context.metrics)
            let relay = Relay(
                database: database, broker: service, configuration: configuration, metrics: context.metrics,
                readiness: context.readiness)
            return [
                DatabaseService(
                    database, readiness: context.readiness, tables: ["delivery.due", "delivery.route_state"]),
                service, relay,
            ]
        }
    }
}
