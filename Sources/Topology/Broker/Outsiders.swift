/// Queues of others: each with a user that may only read it, made and bound by `topology apply` (`outsiders.json`).
public struct Outsiders: Equatable, Sendable, Codable {
    public struct Subscription: Equatable, Sendable, Codable {
        /// `[a-z0-9-]{1,40}`
        public var name: String
        /// Binding keys: event types, or `<document type>.<recipient>` with `*` and `#`.
        public var keys: [String]

        public init(name: String, keys: [String]) {
            self.name = name
            self.keys = keys
        }
    }

    /// Queues `events.x.<name>`, users `outsider-<name>`; the oldest messages are dropped when one is full.
    public var events: [Subscription]
    /// Queues `downstream.x.<name>`, users `integrator-<name>`; a full one stops fan-out to its recipients.
    public var downstream: [Subscription]

    public init(events: [Subscription] = [], downstream: [Subscription] = []) {
        self.events = events
        self.downstream = downstream
    }

    private enum Kind: String {
        case events
        case downstream

        func queue(_ name: String) -> String { "\(rawValue).x.\(name)" }
        var userPrefix: String { self == .events ? "outsider" : "integrator" }
    }

    private var all: [(kind: Kind, subscription: Subscription)] {
        events.map { (.events, $0) } + downstream.map { (.downstream, $0) }
    }

    public var users: [UserDefinition] {
        all.map { kind, subscription in
            let queue = kind.queue(subscription.name).split(separator: ".").joined(separator: "\\.")
            return UserDefinition(
                "\(kind.userPrefix)-\(subscription.name)",
                permissions: UserDefinition.Permissions(read: "^\(queue)$"))
        }
    }

    func add(to definitions: inout BrokerDefinitions) {
        for (kind, subscription) in all {
            let queue = kind.queue(subscription.name)
            definitions.add(queue: queue, boundTo: kind.rawValue, keys: subscription.keys)
            // What its integrator could not take comes back to it from parking, and to nobody else.
            if kind == .downstream { definitions.bindings.append(BindingDefinition("replay", to: queue, key: queue)) }
        }
    }
}
