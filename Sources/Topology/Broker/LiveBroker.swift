/// What a broker holds in one virtual host, read through its management API. The broker's own exchanges are left out.
public struct LiveBroker: Equatable, Sendable {
    public var hasVirtualHost: Bool
    public var definitions: BrokerDefinitions
    /// Every user of the broker that has rights in this virtual host or one of our names; tags are the broker's.
    public var users: [UserDefinition]

    public init(
        hasVirtualHost: Bool = false, definitions: BrokerDefinitions = BrokerDefinitions(), users: [UserDefinition] = []
    ) {
        self.hasVirtualHost = hasVirtualHost
        self.definitions = definitions
        self.users = users
    }
}
