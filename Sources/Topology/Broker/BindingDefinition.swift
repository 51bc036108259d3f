/// From an exchange to a queue.
public struct BindingDefinition: Hashable, Sendable, Codable {
    public var source: String
    public var destination: String
    public var destinationType: String
    public var routingKey: String

    public init(_ source: String, to queue: String, key: String) {
        self.source = source
        destination = queue
        destinationType = "queue"
        routingKey = key
    }

    enum CodingKeys: String, CodingKey {
        case source
        case destination
        case destinationType = "destination_type"
        case routingKey = "routing_key"
    }
}
