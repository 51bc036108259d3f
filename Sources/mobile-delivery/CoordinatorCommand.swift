import AMQP
import Daemon
import FanoutCoordinator
import Postgres
import Storage

extension Command {
    static let coordinator = Command(
        "coordinator", summary: "Fan-out to integrators, expiry, cancellation, revocation, purge; any number of them."
    ) { _ in
        try await DaemonMain.run("coordinator") { context in
            let reader = context.environment
            let database = reader.secret("DATABASE_URL", expected: "postgres://user:password@host:port/database") {
                try Postgres.ConnectionSettings(url: $0)
            }
            let broker = reader.secret("AMQP_URL", expected: "amqp[s]://user:password@host[:port]/virtual-host") {
                try AMQP.ConnectionSettings(url: $0)
            }
            let configuration = Configuration(reader)
            try reader.finish()
            guard let database = database?.revealed, let broker = broker?.revealed else { return [] }
            let connections = Database(database, connections: 4)
            return [
                DatabaseService(
                    connections, readiness: context.readiness,
                    tables: ["delivery.generation_job", "delivery.downstream_submission"]),
                Coordinator(
                    configuration, database: connections, broker: broker, instance: context.instance,
                    metrics: context.metrics, readiness: context.readiness),
            ]
        }
    }
}
