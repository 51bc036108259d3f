import AMQP
import Cryptography
import Daemon
import DeviceGateway
import Postgres

extension Command {
    static let gateway = Command("gateway", summary: "HTTP for phones and producers") { _ in
        try await DaemonMain.run("gateway") { context in
            let reader = context.environment
            let configuration = DeviceGateway.Configuration(reader)
            let database = reader.secret("DATABASE_URL", expected: "a PostgreSQL URL") {
                try Postgres.ConnectionSettings(url: $0)
            }
            let broker = reader.secret("AMQP_URL", expected: "an AMQP URL") { try AMQP.ConnectionSettings(url: $0) }
            let keys = reader.secret("MOBILE_DELIVERY_TOKEN_KEYS", expected: "the sealing and fingerprint keys as JSON")
            {
                try TokenKeys(json: $0)
            }
            let credentials = reader.value(
                "MOBILE_DELIVERY_PRODUCER_CREDENTIALS_FILE", required: false,
                expected: "the producers' credentials file"
            ) { try ProducerCredentials(file: $0) }
            try reader.finish()
            guard let database, let broker, let keys else { return [] }
            return GatewayServices.make(
                configuration, database: database.revealed, broker: broker.revealed, tokenKeys: keys.revealed,
                credentials: credentials ?? ProducerCredentials(), context: context)
        }
    }
}
