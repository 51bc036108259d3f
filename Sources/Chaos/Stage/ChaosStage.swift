import Daemon
import Delivery
import FoundationEssentials
public import LocalStack
import Postgres
import Storage

/// A PostgreSQL, a RabbitMQ, simulated providers, senders and a recorder for campaigns, one after the other. Relays are
/// each campaign's own. Whoever starts one calls `stop()`.
public actor ChaosStage {
    nonisolated let stack: Stack
    /// As superuser.
    nonisolated let database: Database
    nonisolated let audit: LeaseAudit
    nonisolated let broker: BrokerAdministration
    nonisolated let routes: [Route]
    private var servers: Servers
    private var relayNumber = 0
    /// How many requests the providers had when somebody last asked.
    private var requestCount = 0

    /// Of every sender and recorder: no sender knows what another has sent.
    static let copies = 2
    /// Deadlines of seconds, so that what a fault leaves undone is taken up soon.
    static let lease = Duration.seconds(6)
    /// After it others take over what a relay left without a word.
    static let proofMargin = Duration.seconds(2)
    private static let settings = [
        "MOBILE_DELIVERY_HINT_LEASE": "6s", "MOBILE_DELIVERY_EVENT_LEASE": "3s",
        "MOBILE_DELIVERY_RELAY_PROOF_MARGIN": "2s", "MOBILE_DELIVERY_RELAY_BREAKER_FIRST": "200ms",
        "MOBILE_DELIVERY_RELAY_BREAKER_LONGEST": "2s",
        // Here relays die by our hand and not by a row's.
        "MOBILE_DELIVERY_RELAY_BURY_AFTER": "100",
        "MOBILE_DELIVERY_SENDER_REQUEST_TIMEOUT": "800ms", "MOBILE_DELIVERY_SENDER_CLOCK_TOLERANCE": "300ms",
        // More are not in a sender's hands, so that what a frozen one leaves in its queue is soon too much.
        "MOBILE_DELIVERY_SENDER_CONCURRENCY": "20",
        "MOBILE_DELIVERY_SENDER_PAUSE_FIRST": "500ms", "MOBILE_DELIVERY_SENDER_PAUSE_LONGEST": "2s",
        "MOBILE_DELIVERY_RECORDER_LONGEST_PAUSE": "1s",
        "MOBILE_DELIVERY_BACKOFF_BASE": "200ms", "MOBILE_DELIVERY_BACKOFF_CAP": "3s",
        "MOBILE_DELIVERY_APNS_DEVICE_FLOOR": "1s", "MOBILE_DELIVERY_FCM_QUOTA_FLOOR": "1s",
        "MOBILE_DELIVERY_FCM_SERVER_FLOOR": "500ms", "MOBILE_DELIVERY_UNPROCESSED_WAIT": "300ms",
        "MOBILE_DELIVERY_TOKEN_JUDGE_AFTER": "2s", "MOBILE_DELIVERY_TOKEN_JUDGE_LONGEST": "4s",
        "MOBILE_DELIVERY_TOKEN_JUDGE_INTERVAL": "250ms", "MOBILE_DELIVERY_TOKEN_TRIAL": "3s",
        "MOBILE_DELIVERY_ROUTE_WINDOW": "2s",
    ]

    private init(_ servers: Servers, _ stack: Stack, _ database: Database, _ routes: [Route]) {
        self.servers = servers
        self.stack = stack
        self.database = database
        self.routes = routes
        audit = LeaseAudit(database: database)
        broker = BrokerAdministration(servers, virtualHost: stack.site.virtualHost)
    }

    /// Starts all of it under the folder `temporary`. `more` are variables of the services in place of the stage's own.
    public static func start(
        under temporary: String, _ programs: Programs, settings more: [String: String] = [:],
        onFolder: (PrivateFolder) throws -> Void = { _ in }
    ) async throws -> ChaosStage {
        let servers = try await Servers.start(under: temporary, onFolder: onFolder)
        do {
            let stack = try await Stack.start(
                StackSite(servers, programs), [.apnsSender, .fcmSender, .ackRecorder], copies: copies,
                settings: settings.merging(more) { $1 },
                tapping: ["events", "results"])
            let stage: ChaosStage
            do {
                stage = try await prepared(servers, stack)
            } catch {
                await stack.stop()
                throw error
            }
            return stage
        } catch {
            try await servers.stop()
            throw error
        }
    }

    private static func prepared(_ servers: Servers, _ stack: Stack) async throws -> ChaosStage {
        let database = Database(try ConnectionSettings(url: stack.site.databaseURL), connections: 2)
        // Every commit announces an event too, so that events are under way with the hints.
        try await database.execute(
            "ALTER DATABASE \(unescaped: stack.site.database) SET mobile_delivery.announce = 'job.committed'")
        var routes: [Route] = []
        for row in try await database.query(
            "SELECT provider, environment, app FROM delivery.route_state WHERE route > 0 ORDER BY route")
        {
            guard let provider = Provider(rawValue: try row["provider"]) else { continue }
            routes.append(Route(provider: provider, environment: try row["environment"], app: try row["app"]))
        }
        await database.close()
        let stage = ChaosStage(
            servers, stack, Database(try ConnectionSettings(url: stack.site.databaseURL), connections: 2), routes)
        try await stage.audit.install()
        return stage
    }

    public func stop() async throws {
        await database.close()
        await broker.close()
        // A frozen server would not hear that it is to stop.
        servers.thawBroker()
        await stack.stop()
        try await servers.stop()
    }

    /// The end of every process's log.
    public func lastWords() async -> [String] { await stack.lastWords() }

    func nextRelayName() -> String {
        relayNumber += 1
        return "relay-\(relayNumber)"
    }

    /// How many requests the providers had so far.
    func countRequests() async throws -> Int {
        requestCount = try await stack.control.requests(after: requestCount).last
        return requestCount
    }

    /// Again, after all of the kind were stopped.
    func startAll(_ kind: ServiceKind) async throws {
        for _ in 0..<Self.copies { try await stack.start(kind) }
    }

    // MARK: What befalls the servers

    /// Changes the servers outside of the actor, as they are a value.
    private func change(_ body: (inout Servers) async throws -> Void) async throws {
        var changed = servers
        try await body(&changed)
        servers = changed
    }

    func stopBroker() async { await servers.stopBroker() }
    func startBroker() async throws { try await change { try await $0.startBroker() } }
    func freezeBroker() { servers.freezeBroker() }
    func thawBroker() { servers.thawBroker() }
    func controlBroker(_ arguments: [String]) async throws { try await servers.controlBroker(arguments) }
    func stopPostgres(immediately: Bool) async { await servers.stopPostgres(immediately: immediately) }
    func startPostgres() async throws { try await change { try await $0.startPostgres() } }

    func startBouncer(connections: Int) async throws -> PgBouncer {
        try await PgBouncer.start(for: "md_relay", on: servers, connections: connections)
    }

    func emptyBroker() async throws {
        try await change { try await $0.emptyBroker() }
        try await stack.applyTopology()
    }
}
