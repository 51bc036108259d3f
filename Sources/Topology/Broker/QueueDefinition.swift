/// A queue; everything about it but its type is policy, because arguments cannot be changed without deleting it.
public struct QueueDefinition: Hashable, Sendable, Codable {
    public var name: String
    public var durable: Bool
    public var autoDelete: Bool
    public var arguments: [String: DefinitionValue]

    /// A quorum queue.
    public init(_ name: String) {
        self.name = name
        durable = true
        autoDelete = false
        arguments = ["x-queue-type": .text("quorum")]
    }

    public var isQuorum: Bool { arguments["x-queue-type"] == .text("quorum") }

    enum CodingKeys: String, CodingKey {
        case name
        case durable
        case autoDelete = "auto_delete"
        case arguments
    }
}
