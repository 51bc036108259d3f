public import Daemon

extension LiveBroker {
    /// Reads one virtual host and the users that `desired` names or that have rights there.
    public static func read(
        _ api: ManagementAPI, for desired: DesiredBroker
    ) async throws(CommandFailure) -> LiveBroker {
        let host = desired.virtualHost
        var live = LiveBroker()
        live.users = try await users(api, host, Set(desired.users.map(\.name)))
        guard try await api.get(["vhosts", host], as: Named.self) != nil else { return live }
        live.hasVirtualHost = true
        let exchanges = try await api.get(["exchanges", host], as: [ExchangeDefinition].self) ?? []
        live.definitions.exchanges = exchanges.filter { !$0.name.isEmpty && !$0.name.hasPrefix("amq.") }
        let queues = try await api.get(["queues", host], as: [QueueDefinition].self) ?? []
        live.definitions.queues = queues.filter { !$0.name.hasPrefix("amq.") }
        let bindings = try await api.get(["bindings", host], as: [BindingDefinition].self) ?? []
        live.definitions.bindings = bindings.filter { !$0.source.isEmpty }
        live.definitions.policies = try await api.get(["policies", host], as: [PolicyDefinition].self) ?? []
        return live
    }

    private static func users(
        _ api: ManagementAPI, _ host: String, _ ours: Set<String>
    ) async throws(CommandFailure) -> [UserDefinition] {
        let accounts = try await api.get(["users"], as: [Account].self) ?? []
        let rights = (try await api.get(["permissions"], as: [Rights].self) ?? []).filter { $0.vhost == host }
        let keys = (try await api.get(["topic-permissions"], as: [Keys].self) ?? []).filter { $0.vhost == host }
        let present = Set(rights.map(\.user))
        return accounts.filter { ours.contains($0.name) || present.contains($0.name) }.map { account in
            let own = rights.first { $0.user == account.name }
            let permissions = UserDefinition.Permissions(
                configure: own?.configure ?? "", write: own?.write ?? "", read: own?.read ?? "")
            let topics = keys.filter { $0.user == account.name }.map { ($0.exchange, $0.write) }
            return UserDefinition(
                account.name, tags: account.tags, permissions: permissions,
                topicPermissions: Dictionary(topics, uniquingKeysWith: { first, _ in first }))
        }
    }

    private struct Named: Decodable {
        var name: String
    }

    private struct Account: Decodable {
        var name: String
        var tags: [String]
    }

    private struct Rights: Decodable {
        var user: String
        var vhost: String
        var configure: String
        var write: String
        var read: String
    }

    private struct Keys: Decodable {
        var user: String
        var vhost: String
        var exchange: String
        var write: String
    }
}
