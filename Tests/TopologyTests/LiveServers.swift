import Daemon
import Delivery
import FoundationEssentials
import HTTPClient
import Postgres
import Topology

/// Servers of the test run; a missing variable fails the test that needs it.
enum LiveServers {
    static func variable(_ name: String) throws -> String {
        guard let value = ProcessInfo.processInfo.environment[name] else {
            throw CommandFailure(.configuration, "\(name) is not set: run the tests by scripts/test")
        }
        return value
    }

    /// A virtual host of its own with the whole topology, deleted afterwards together with the users it made.
    static func withBroker(
        users: Bool = false, outsiders: Outsiders = Outsiders(),
        _ body: (DesiredBroker, ManagementAPI, BrokerSetup) async throws -> Void
    ) async throws {
        let client = Client()
        let api = ManagementAPI(url: try variable("MOBILE_DELIVERY_TEST_MANAGEMENT_URL"), client: client)
        let unique = Identifier.random().description.prefix(8)
        var desired = try SampleBroker.desired(virtualHost: "topology-\(unique)", outsiders: outsiders)
        desired.users = users ? desired.users.map { renamed($0, "\($0.name)-\(unique)") } : []
        let result: Result<Void, any Error>
        do {
            result = .success(try await body(desired, api, BrokerSetup(desired, api: api)))
        } catch {
            result = .failure(error)
        }
        try await BrokerSetup.deleteVirtualHost(desired.virtualHost, api: api)
        for user in desired.users { try await BrokerSetup.deleteUser(user.name, api: api) }
        await client.close()
        try result.get()
    }

    /// Users belong to the whole broker: tests at the same time need names of their own.
    private static func renamed(_ user: UserDefinition, _ name: String) -> UserDefinition {
        var user = user
        user.name = name
        return user
    }
}
