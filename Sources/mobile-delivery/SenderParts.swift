import AMQP
import Cryptography
import Daemon
import Delivery
import Sending

/// What both sender commands read and build alike.
struct SenderParts {
    private let broker: Secret<ConnectionSettings>?
    private let keys: Secret<TokenKeys>?
    private let appsFile: String

    init(_ reader: EnvironmentReader) {
        broker = reader.secret("AMQP_URL", expected: "amqp://user:password@host:port/vhost") {
            try ConnectionSettings(url: $0)
        }
        keys = reader.secret("MOBILE_DELIVERY_TOKEN_KEYS", expected: "the JSON of the token keys") {
            try TokenKeys(json: $0)
        }
        appsFile = reader.string("MOBILE_DELIVERY_APPS_FILE")
    }

    func routes(of provider: Provider, named names: [String]) throws(CommandFailure) -> (AppsFile, [Route]) {
        let apps: AppsFile
        do throws(AppsFileError) {
            apps = try AppsFile(reading: appsFile)
        } catch {
            throw error.failure
        }
        return (apps, try apps.routes(of: provider, named: names))
    }

    func services(
        _ name: String, routes: [Route], courier: any Courier, settings: SendingSettings,
        _ context: DaemonContext
    ) throws(CommandFailure) -> [any Service] {
        guard let broker = broker?.revealed, let keys = keys?.revealed else {
            throw CommandFailure(.configuration, "AMQP_URL or MOBILE_DELIVERY_TOKEN_KEYS is not set")
        }
        return [
            SenderService(
                name: name, routes: routes, broker: broker, vault: TokenVault(keys: keys), courier: courier,
                settings: settings, instance: context.instance, metrics: context.metrics, readiness: context.readiness)
        ]
    }
}
