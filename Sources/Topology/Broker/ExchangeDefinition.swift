/// An exchange; everything about it but its type is policy.
public struct ExchangeDefinition: Hashable, Sendable, Codable {
    public var name: String
    /// `topic`, or `fanout` where no user's keys have to be restricted: topic permissions are ignored elsewhere.
    public var type: String
    public var durable: Bool
    public var autoDelete: Bool
    public var `internal`: Bool
    public var arguments: [String: DefinitionValue]

    public init(_ name: String, type: String = "topic") {
        self.name = name
        self.type = type
        durable = true
        autoDelete = false
        `internal` = false
        arguments = [:]
    }

    enum CodingKeys: String, CodingKey {
        case name
        case type
        case durable
        case autoDelete = "auto_delete"
        case `internal`
        case arguments
    }
}
