public import Daemon

/// Brings a virtual host to what it must hold, and compares it. Used by `topology apply`, by the lab and by tests.
public struct BrokerSetup: Sendable {
    private let api: ManagementAPI
    private let desired: DesiredBroker

    public init(_ desired: DesiredBroker, api: ManagementAPI) {
        self.desired = desired
        self.api = api
    }

    public func plan() async throws(CommandFailure) -> BrokerPlan {
        BrokerPlan(desired: desired, live: try await LiveBroker.read(api, for: desired))
    }

    /// Makes what is missing and changes what differs; deletes nothing. Returns what it did.
    ///
    /// Passwords given are set every time, so that a changed one takes effect; a user that has to be made needs one.
    /// Fails before its first step if something cannot be mended, or if dead letters would be lost and `allowsDeletion` is
    /// not set.
    @discardableResult
    public func apply(
        passwords: [String: Secret<String>] = [:], allowsDeletion: Bool = false
    ) async throws(CommandFailure) -> [BrokerChange] {
        let plan = try await plan()
        if let conflict = plan.conflicts.first { throw CommandFailure(.systemFile, conflict.description) }
        if let deletion = plan.deletions.first, !allowsDeletion {
            throw CommandFailure(.dataError, "\(deletion): give --allow-deletion if that is meant")
        }
        let made = plan.changes.compactMap { change in
            if case .putUser(let name, _) = change { name } else { nil }
        }
        let locked = made.filter { passwords[$0] == nil }
        guard locked.isEmpty else {
            throw CommandFailure(
                .configuration,
                "broker users need passwords: set \(locked.map(Self.passwordSetting).joined(separator: ", ")) or …_FILE, "
                    + "or give --without-users")
        }
        for change in plan.changes { try await carryOut(change, passwords) }
        for user in desired.users where !made.contains(user.name) {
            if let password = passwords[user.name] { try await put(user.name, user.tags, password) }
        }
        return plan.changes
    }

    /// `MOBILE_DELIVERY_APNS_SENDER_BROKER_PASSWORD` for `apns-sender`.
    public static func passwordSetting(of user: String) -> String {
        let word = user.uppercased().split(separator: "-").joined(separator: "_")
        return "MOBILE_DELIVERY_\(word)_BROKER_PASSWORD"
    }

    private func carryOut(
        _ change: BrokerChange, _ passwords: [String: Secret<String>]
    ) async throws(CommandFailure) {
        let host = desired.virtualHost
        switch change {
        case .createVirtualHost(let name):
            try await api.put(["vhosts", name], [String: String]())
        case .createExchange(let exchange):
            try await api.put(["exchanges", host, exchange.name], exchange)
        case .createQueue(let queue):
            try await api.put(["queues", host, queue.name], queue)
        case .bind(let binding):
            try await api.post(
                ["bindings", host, "e", binding.source, "q", binding.destination], ["routing_key": binding.routingKey])
        case .putPolicy(let policy):
            try await api.put(["policies", host, policy.name], policy)
        case .putUser(let name, let tags):
            guard let password = passwords[name] else { return }
            try await put(name, tags, password)
        case .setPermissions(let user, let permissions):
            try await api.put(["permissions", host, user], permissions)
        case .setTopicPermission(let user, let exchange, let write):
            try await api.put(
                ["topic-permissions", host, user], ["exchange": exchange, "write": write, "read": UserDefinition.none])
        }
    }

    private func put(_ name: String, _ tags: [String], _ password: Secret<String>) async throws(CommandFailure) {
        try await api.put(["users", name], ["password": password.revealed, "tags": tags.joined(separator: ",")])
    }
}

extension BrokerSetup {
    /// Deletes a virtual host with everything in it: for the lab and for tests, no command does it.
    public static func deleteVirtualHost(_ name: String, api: ManagementAPI) async throws(CommandFailure) {
        try await api.delete(["vhosts", name])
    }

    /// Deletes a user of the broker: for the lab and for tests.
    public static func deleteUser(_ name: String, api: ManagementAPI) async throws(CommandFailure) {
        try await api.delete(["users", name])
    }
}
