import Daemon
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
    private let world: SharedWorld
    private let servers: [HTTP2.Server]
    private let control: Listener
    /// Writers of files; they end with their feed.
    private let writers: [Task<Void, Never>]
    private let ticker: Task<Void, Never>

    private init(
        addresses: Addresses, world: SharedWorld, servers: [HTTP2.Server], control: Listener,
        writers: [Task<Void, Never>]
    ) {
        self.addresses = addresses
        self.world = world
        self.servers = servers
        self.control = control
        self.writers = writers
        ticker = Task {
            while (try? await Task.sleep(for: .milliseconds(200))) != nil { world.tick() }
        }
    }

    /// Listens on all ports from now on.
    public static func start(_ configuration: SimulatorConfiguration) async throws -> SimulatedProviders {
        let world = SharedWorld(configuration)
        let journal = try configuration.journalFile.map { path throws(ScriptError) in try LineFile(path: path) }
        let deliveries = try configuration.deliveriesFile.map { path throws(ScriptError) in try LineFile(path: path) }
        let ports = configuration.ports
        let services: [(ProviderService, UInt16)] = [
            (.apns(environment: "production"), ports.apnsProduction),
            (.apns(environment: "sandbox"), ports.apnsSandbox),
            (.fcm, ports.fcm), (.oauth, ports.oauth),
        ]
        var servers: [HTTP2.Server] = []
        do {
            for (service, port) in services {
                servers.append(try await serve(service, port, configuration, world))
            }
            let port = ControlPort(world: world)
            let control = try Listener.start(
                Address(host: configuration.host, port: ports.control), handler: { await port.answer($0) })
            let addresses = Addresses(
                apnsProduction: "https://localhost:\(servers[0].port)",
                apnsSandbox: "https://localhost:\(servers[1].port)", fcm: "https://localhost:\(servers[2].port)",
                oauth: "https://localhost:\(servers[3].port)/token", control: "http://127.0.0.1:\(control.port)")
            world.setTokenAddress(addresses.oauth)
            world.setServers(Dictionary(uniqueKeysWithValues: zip(services.map(\.0), servers)))
            return SimulatedProviders(
                addresses: addresses, world: world, servers: servers, control: control,
                writers: writer(world.journal, journal) + writer(world.deliveries, deliveries))
        } catch {
            for server in servers { await server.stop() }
            throw error
        }
    }

    private static func serve(
        _ service: ProviderService, _ port: UInt16, _ configuration: SimulatorConfiguration, _ world: SharedWorld
    ) async throws -> HTTP2.Server {
        var settings = ServerSettings(identity: configuration.identity)
        settings.host = configuration.host
        settings.port = port
        if service.provider == "apns" {
            settings.concurrentStreams = configuration.apnsFirstStreams
            settings.limits = configuration.apnsLimits
        } else {
            settings.concurrentStreams = configuration.fcmStreams
            settings.limits = configuration.googleLimits
            settings.allowsHTTP1 = true
        }
        let name = service.environment.isEmpty ? service.provider : "apns-\(service.environment)"
        return try await HTTP2.Server.start(settings, name: name) { world.reply(to: $0, service) }
    }

    private static func writer(_ feed: Feed<some FeedElement>, _ file: LineFile?) -> [Task<Void, Never>] {
        guard let file else { return [] }
        return [
            Task {
                guard await !feed.write(to: file) else { return }
                Log.error("a file of the journal cannot be written any more", ["file": .string(file.path)])
            }
        ]
    }

    public func stop() async {
        ticker.cancel()
        for server in servers { await server.stop() }
        world.close()
        for writer in writers { await writer.value }
        await control.stop(grace: .seconds(1))
        world.setServers([:])
    }

    /// Replaces the script.
    public func play(_ script: Script) { world.play(script) }

    /// As `POST /devices/{token}` does.
    public func register(_ device: Device) { world.register(device) }

    /// Messages that reached phones since the start.
    public var deliveryCount: Int { world.deliveries.count }

    /// Requests with a number above `number`, at most those that are still kept.
    public func journal(after number: Int = 0) -> [JournalEntry] { world.journal.after(number).map(\.element) }
}
