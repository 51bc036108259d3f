import AMQP
import AckRecorder
import Daemon
import Postgres

extension Command {
    /// Runs until SIGTERM; start as many as you like.
    static let ackRecorder = Command(
        "ack-recorder", summary: "Record device acks, provider outcomes and dead letters; judge suspected tokens."
    ) { _ in
        try await DaemonMain.run("ack-recorder") { context in
            let configuration = AckRecorder.Configuration(context.environment)
            let connections = context.environment.integer(
                "MOBILE_DELIVERY_RECORDER_DATABASE_CONNECTIONS", default: 4, in: 1...64)
            let settings = context.environment.secret(
                "DATABASE_URL", expected: "postgres://user:password@host:port/database"
            ) { try Postgres.ConnectionSettings(url: $0) }
            let broker = context.environment.secret(
                "AMQP_URL", expected: "amqp://user:password@host:port/virtual-host"
            ) { try AMQP.ConnectionSettings(url: $0) }
            try context.environment.finish()
            guard let settings, let broker else { return [] }
            return Recorder(
                configuration, database: Database(settings.revealed, connections: connections),
                broker: broker.revealed, instance: context.instance, metrics: context.metrics,
                readiness: context.readiness
            ).services
        }
    }
}
