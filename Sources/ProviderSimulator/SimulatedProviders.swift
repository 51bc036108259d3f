import HTTP2
import HTTPServer
import Synchronization

/// APNs (production and sandbox), FCM and Google's token endpoint in one process, each on a TLS port of its own, with a
/// plain control port. Runs from `start` to `stop()`.
public final class SimulatedProviders: Sendable {
    public struct Addresses: Hashable, Sendable {
        public var apnsProduction: String
        public var apnsSandbox: String
        public var fcm: String
        /// With the path of the token endpoint.
        public var oauth: String
        public var control: String
    }

    public let addresses: Addresses
    private let core: SimulatorCore
    private let servers: [HTTP2.Server]
    private let listeners: [Listener]

    private init(addresses: Addresses, core: SimulatorCore, servers: [HTTP2.Server], listeners: [Listener]) {
        self.addresses = addresses
        self.core = core
        self.servers = servers
        self.listeners = listeners
    }

    /// Listens on all ports from now on.
    public static func start(_ configuration: SimulatorConfiguration) async throws -> SimulatedProviders {
        let core = SimulatorCore(configuration)
        let ports = configuration.ports
        var servers: [HTTP2.Server] = []
        var listeners: [Listener] = []
        do {
            for (environment, port) in [("production", ports.apnsProduction), ("sandbox", ports.apnsSandbox)] {
                var settings = ServerSettings(identity: configuration.identity)
                settings.host = configuration.host
                settings.port = port
                // As APNs does: one stream until a provider token was accepted.
                settings.concurrentStreams = 1
                servers.append(try await serve(.apns(environment: environment), settings, core))
            }
            for (service, port) in [(ProviderService.fcm, ports.fcm), (.oauth, ports.oauth)] {
                var settings = ServerSettings(identity: configuration.identity)
                settings.host = configuration.host
                settings.port = port
                settings.concurrentStreams = configuration.fcmStreams
                let plain = try Listener.startUnbound { await core.answer($0, service) }
                listeners.append(plain)
                settings.http1 = { SocketPair.join(plain) }
                servers.append(try await serve(service, settings, core))
            }
            let control = ControlPort(core: core)
            let listener = try Listener.start(
                Address(host: configuration.host, port: ports.control), handler: { await control.answer($0) })
            listeners.append(listener)
            let addresses = Addresses(
                apnsProduction: "https://localhost:\(servers[0].port)",
                apnsSandbox: "https://localhost:\(servers[1].port)", fcm: "https://localhost:\(servers[2].port)",
                oauth: "https://localhost:\(servers[3].port)/token", control: "http://127.0.0.1:\(listener.port)")
            core.setTokenAddress(addresses.oauth)
            core.setServers([
                .apns(environment: "production"): servers[0], .apns(environment: "sandbox"): servers[1],
                .fcm: servers[2], .oauth: servers[3],
            ])
            return SimulatedProviders(addresses: addresses, core: core, servers: servers, listeners: listeners)
        } catch {
            for server in servers { await server.stop() }
            for listener in listeners { await listener.stop(grace: .zero) }
            throw error
        }
    }

    private static func serve(_ service: ProviderService, _ settings: ServerSettings, _ core: SimulatorCore)
        async throws -> HTTP2.Server
    {
        let name = service.environment.isEmpty ? service.provider : "apns-\(service.environment)"
        return try await HTTP2.Server.start(settings, name: name) { core.reply(to: $0, service) }
    }

    public func stop() async {
        core.close()
        for server in servers { await server.stop() }
        for listener in listeners { await listener.stop(grace: .seconds(1)) }
        core.setServers([:])
    }

    /// Replaces the script.
    public func play(_ script: Script) { core.play(script) }

    /// As `POST /devices/{token}` does.
    public func register(_ device: Device) { core.register(device) }

    /// Requests with a number above `number`, at most those that are still kept.
    public func journal(after number: Int = 0) -> [JournalEntry] { core.journal.after(number).map(\.element) }
}
