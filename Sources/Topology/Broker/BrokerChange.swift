/// One step of `topology apply`. Nothing is ever deleted.
public enum BrokerChange: Equatable, Sendable {
    case createVirtualHost(String)
    case createExchange(ExchangeDefinition)
    case createQueue(QueueDefinition)
    case bind(BindingDefinition)
    case putPolicy(PolicyDefinition)
    /// Makes the user or changes its tags.
    case putUser(name: String, tags: [String])
    case setPermissions(user: String, UserDefinition.Permissions)
    /// Keys that the user may write at that topic exchange.
    case setTopicPermission(user: String, exchange: String, write: String)
}

extension BrokerChange: CustomStringConvertible {
    public var description: String {
        switch self {
        case .createVirtualHost(let name): "virtual host \(name)"
        case .createExchange(let exchange): "exchange \(exchange.name) (\(exchange.type))"
        case .createQueue(let queue): "queue \(queue.name)"
        case .bind(let binding): "binding \(binding.source) → \(binding.destination) (\(binding.routingKey))"
        case .putPolicy(let policy): "policy \(policy.name)"
        case .putUser(let name, let tags): "user \(name)\(tags.isEmpty ? "" : " (\(tags.joined(separator: ", ")))")"
        case .setPermissions(let user, _): "permissions of \(user)"
        case .setTopicPermission(let user, let exchange, let write): "keys of \(user) on \(exchange): \(write)"
        }
    }
}
