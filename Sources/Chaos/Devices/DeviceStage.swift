import Daemon
import Delivery
import DeviceFleet
import Glibc
import HTTPClient
public import LocalStack
import Postgres
import Storage

/// Servers and every service that a phone's work needs, with several gateways, for campaigns of devices. Phones are each
/// campaign's own, in this process. Whoever starts one calls `stop()`.
public struct DeviceStage: Sendable {
    let servers: Servers
    let stack: Stack
    /// As superuser.
    let database: Database
    /// Addresses of the gateways, which phones take in turn.
    let gateways: [String]
    let author: AuthorKey
    let client: HTTPClient.Client

    /// Of a fan-out: short, so that a campaign sees it end.
    static let lease = Duration.seconds(3)
    private static let settings = [
        "MOBILE_DELIVERY_LEASE_TTL": "3s", "MOBILE_DELIVERY_LEASE_COOL_DOWN": "1s",
        // A phone here does in a second what others do in a day.
        "MOBILE_DELIVERY_GATEWAY_DEVICE_RATE": "10000", "MOBILE_DELIVERY_GATEWAY_DEVICE_BURST": "10000",
        "MOBILE_DELIVERY_GATEWAY_ENROLMENT_RATE": "0",
        "MOBILE_DELIVERY_COORDINATOR_SWEEP_INTERVAL": "1s", "MOBILE_DELIVERY_COORDINATOR_UNRUNG_AFTER": "3s",
    ]

    /// Starts all of it under the folder `temporary`.
    public static func start(
        under temporary: String, _ programs: Programs, gateways: Int = 2,
        onFolder: (PrivateFolder) throws -> Void = { _ in }
    ) async throws -> DeviceStage {
        let servers = try await Servers.start(under: temporary, onFolder: onFolder)
        do {
            let stack = try await Stack.start(
                StackSite(servers, programs), [.relay, .coordinator, .ackRecorder, .gateway], settings: settings,
                tapping: ["events", "downstream"])
            do {
                for _ in 1..<max(1, gateways) { try await stack.start(.gateway) }
                return try await prepared(servers, stack)
            } catch {
                await stack.stop()
                throw error
            }
        } catch {
            try await servers.stop()
            throw error
        }
    }

    private static func prepared(_ servers: Servers, _ stack: Stack) async throws -> DeviceStage {
        var gateways: [String] = []
        for process in await stack.processes where process.name == ServiceKind.gateway.rawValue {
            gateways.append("http://" + (try await process.announcement("gateway listening")["address"] ?? ""))
        }
        var settings = HTTPClient.Configuration()
        // As many as there are phones: all are to ask at once.
        settings.maximumConnectionsPerHost = 64
        return DeviceStage(
            servers: servers, stack: stack,
            database: Database(try ConnectionSettings(url: stack.site.databaseURL), connections: 2),
            gateways: gateways, author: try AuthorKey.loadOrMake("\(stack.site.folder)/producer-key.json"),
            client: HTTPClient.Client(settings))
    }

    public func stop() async throws {
        await client.close()
        await database.close()
        await stack.stop()
        try await servers.stop()
    }

    /// The end of every process's log.
    public func lastWords() async -> [String] { await stack.lastWords() }

    /// Asks until `fact` holds; false if it does not within `limit`.
    func comesTrue(within limit: Duration, _ fact: () async throws -> Bool) async throws -> Bool {
        let end = ContinuousClock.now + limit
        while try await !fact() {
            guard .now < end else { return false }
            try await Task.sleep(for: .milliseconds(10))
        }
        return true
    }

    /// A document of about so many bytes for every phone of the account, with these recipients.
    func commit(account: String, recipients: [String], size: Int = 32) async throws -> Identifier {
        let commit = DocumentCommit(
            account: account, documentType: .receipt,
            document: Array("{\"number\":\"\(String(repeating: "1", count: max(1, size - 13)))\"}".utf8),
            recipients: recipients, lifetime: .seconds(3_600), author: author)
        let connection = try await Connection.open(ConnectionSettings(url: stack.site.databaseURL))
        return try await cleaningUp {
            await connection.close()
        } after: {
            _ = try await commit.run(on: connection)
            return commit.job
        }
    }
}
