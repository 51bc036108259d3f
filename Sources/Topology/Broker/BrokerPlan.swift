/// The difference between what a virtual host must hold and what it holds.
public struct BrokerPlan: Equatable, Sendable {
    /// What `apply` does, in this order.
    public private(set) var changes: [BrokerChange] = []
    /// What it cannot do: the object exists otherwise, and only deleting it would help.
    public private(set) var conflicts: [Finding] = []
    /// What is there beyond it and may carry messages where they should not go; left alone.
    public private(set) var extras: [Finding] = []
    /// Policy changes after which the broker would delete dead letters that wait to be moved.
    public private(set) var deletions: [Finding] = []

    public var isEmpty: Bool { changes.isEmpty && conflicts.isEmpty }

    public init(desired: DesiredBroker, live: LiveBroker) {
        if !live.hasVirtualHost { changes.append(.createVirtualHost(desired.virtualHost)) }
        planPolicies(desired.definitions, live.definitions)
        planExchanges(desired.definitions, live.definitions)
        planQueues(desired.definitions, live.definitions)
        planBindings(desired.definitions, live.definitions)
        planUsers(desired, live)
    }

    /// Policies first, so that no queue exists for a moment without its limit and dead-lettering.
    private mutating func planPolicies(_ desired: BrokerDefinitions, _ live: BrokerDefinitions) {
        let existing = Dictionary(live.policies.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
        for policy in desired.policies where existing[policy.name] != policy {
            changes.append(.putPolicy(policy))
            if let old = existing[policy.name], old.isAtLeastOnce, !policy.isAtLeastOnce {
                deletions.append(
                    Finding("policy \(policy.name)", "would delete dead letters that wait in its queues to be moved"))
            }
        }
        let names = Set(desired.policies.map(\.name))
        extras += live.policies.filter { !names.contains($0.name) }
            .map { Finding("policy \($0.name)", "not in the definitions; it may beat ours") }
    }

    private mutating func planExchanges(_ desired: BrokerDefinitions, _ live: BrokerDefinitions) {
        let existing = Dictionary(live.exchanges.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
        for exchange in desired.exchanges {
            guard let found = existing[exchange.name] else {
                changes.append(.createExchange(exchange))
                continue
            }
            if found != exchange {
                conflicts.append(
                    Finding(
                        "exchange \(exchange.name)", "exists as another kind (\(found.type)): delete it, then apply"))
            }
        }
    }

    private mutating func planQueues(_ desired: BrokerDefinitions, _ live: BrokerDefinitions) {
        let existing = Dictionary(live.queues.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
        for queue in desired.queues {
            guard let found = existing[queue.name] else {
                changes.append(.createQueue(queue))
                continue
            }
            if found != queue {
                conflicts.append(
                    Finding(
                        "queue \(queue.name)", "exists with other arguments: move its messages, delete it, then apply"))
            }
        }
        let names = Set(desired.queues.map(\.name))
        extras += live.queues.filter { !names.contains($0.name) }
            .map { Finding("queue \($0.name)", "not in the definitions, the apps file or outsiders.json") }
    }

    private mutating func planBindings(_ desired: BrokerDefinitions, _ live: BrokerDefinitions) {
        let existing = Set(live.bindings)
        changes += desired.bindings.filter { !existing.contains($0) }.map { .bind($0) }
        let wanted = Set(desired.bindings)
        let queues = Set(desired.queues.map(\.name))
        extras += live.bindings.filter { !wanted.contains($0) && queues.contains($0.destination) }
            .map { Finding("binding \($0.source) → \($0.destination) (\($0.routingKey))", "not in the definitions") }
    }

    private mutating func planUsers(_ desired: DesiredBroker, _ live: LiveBroker) {
        let existing = Dictionary(live.users.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
        for user in desired.users {
            let found = existing[user.name]
            if found.map({ Set($0.tags) }) != Set(user.tags) {
                changes.append(.putUser(name: user.name, tags: user.tags))
            }
            if found?.permissions != user.permissions {
                changes.append(.setPermissions(user: user.name, user.permissions))
            }
            // An exchange without an entry would be open: also those that the user cannot write to get one.
            for exchange in desired.definitions.topicExchanges {
                let write = user.topicPermission(on: exchange)
                if found?.topicPermissions[exchange] != write {
                    changes.append(.setTopicPermission(user: user.name, exchange: exchange, write: write))
                }
            }
        }
    }
}
