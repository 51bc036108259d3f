/// Exchanges, queues, bindings and policies, as `definitions.json` spells them.
///
/// The file is also what the broker's own `import_definitions` reads, so it names a virtual host; `topology apply` takes
/// the host from its settings instead.
public struct BrokerDefinitions: Equatable, Sendable, Codable {
    public var exchanges: [ExchangeDefinition]
    public var queues: [QueueDefinition]
    public var bindings: [BindingDefinition]
    public var policies: [PolicyDefinition]

    public init(
        exchanges: [ExchangeDefinition] = [], queues: [QueueDefinition] = [], bindings: [BindingDefinition] = [],
        policies: [PolicyDefinition] = []
    ) {
        self.exchanges = exchanges
        self.queues = queues
        self.bindings = bindings
        self.policies = policies
    }

    public var topicExchanges: [String] { exchanges.filter { $0.type == "topic" }.map(\.name) }

    /// Adds a quorum queue that `exchange` feeds with `keys`.
    public mutating func add(queue: String, boundTo exchange: String, keys: [String]) {
        queues.append(QueueDefinition(queue))
        bindings += keys.map { BindingDefinition(exchange, to: queue, key: $0) }
    }

    /// Names of the queues that a message with `key` at `exchange` reaches directly, sorted.
    public func destinations(of key: String, at exchange: String) -> [String] {
        guard let type = exchanges.first(where: { $0.name == exchange })?.type else { return [] }
        let hits = bindings.filter { binding in
            binding.source == exchange
                && (type == "fanout" || TopicPattern(binding.routingKey).matches(key))
        }
        return Set(hits.map(\.destination)).sorted()
    }
}
