import Delivery
import HTTPClient
import TestSupport
import Topology

/// The broker of the test run, set up by the code under test.
enum LiveServers {
    /// A virtual host of its own with the whole topology, deleted afterwards together with the users it made.
    static func withBroker(
        users: Bool = false, outsiders: Outsiders = Outsiders(),
        _ body: (DesiredBroker, Topology.ManagementAPI, BrokerSetup) async throws -> Void
    ) async throws {
        let client = Client()
        let api = Topology.ManagementAPI(url: try TestServers.managementURL, client: client)
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
