import Delivery
import HTTPClient
public import LocalStack
import Postgres
import Topology

/// A database with the schema and a virtual host with the topology, with one APNs and one FCM route and no service.
public struct OutboxSite: Sendable {
    public let stack: StackSite
    /// As owner of the schema.
    let owner: Database

    static let route = Route(provider: .apns, environment: "production", app: "bench")
    static let otherRoute = Route(provider: .fcm, environment: "", app: "bench")
    private static let appsFile = """
        {"apps": [{"name": "bench", "fcm": {"projectId": "bench", "serviceAccountFile": "none.json"},
          "apns": {"bundleId": "bench", "teamId": "BENCH00001", "keyId": "BENCH00001", "keyFile": "none.p8"}}]}
        """

    /// `name` tells sites on the same servers apart.
    public static func with<Result: Sendable>(
        _ servers: Servers, _ programs: Programs, name: String, _ body: (OutboxSite) async throws -> Result
    ) async throws -> Result {
        let stack = StackSite(servers, programs, name: name)
        let setup = StackSetup(stack)
        try setup.makeFolder()
        try await setup.migrate()
        let apps = "\(stack.folder)/apps.json"
        try servers.folder.write(appsFile, to: apps)
        try await setup.applyTopology(appsFile: apps)
        let owner = Database(try ConnectionSettings(url: stack.databaseURL), connections: 2)
        let site = OutboxSite(stack: stack, owner: owner)
        do {
            let result = try await body(site)
            await site.owner.close()
            return result
        } catch {
            await site.owner.close()
            throw error
        }
    }

    /// Empties a queue but for what its consumers hold.
    func purge(_ queue: String) async throws {
        let client = Client()
        let url = "\(stack.servers.rabbitmq.managementURL)/api/queues/\(stack.virtualHost)/\(queue)/contents"
        let answer = try? await client.send(Request("DELETE", url, timeout: .seconds(60)))
        await client.close()
        guard answer?.status == 204 else { throw Unusable("the queue \(queue) could not be emptied") }
    }

    /// What the servers call themselves.
    func versions() async throws -> [Report.Fact] {
        let postgres: String = try await owner.query("SELECT current_setting('server_version') AS v").one()["v"]
        let client = Client()
        let answer = try? await client.send(
            Request("GET", "\(stack.servers.rabbitmq.managementURL)/api/overview", timeout: .seconds(30)))
        await client.close()
        return Versions.ofPrograms(postgres: postgres, overview: answer?.body ?? [])
    }
}
