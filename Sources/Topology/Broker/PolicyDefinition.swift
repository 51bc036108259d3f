/// What holds for every queue or exchange whose name the pattern finds. One policy matches one object; they do not merge.
public struct PolicyDefinition: Hashable, Sendable, Codable {
    public var name: String
    /// A regular expression, searched and not anchored by itself.
    public var pattern: String
    /// `queues` or `exchanges`; `quorum_queues` is refused before 3.12.
    public var applyTo: String
    public var priority: Int
    public var definition: [String: DefinitionValue]

    public init(
        _ name: String, pattern: String, applyTo: String = "queues", definition: [String: DefinitionValue]
    ) {
        self.name = name
        self.pattern = pattern
        self.applyTo = applyTo
        priority = 1
        self.definition = definition
    }

    public var isAtLeastOnce: Bool { definition["dead-letter-strategy"] == .text("at-least-once") }
    public var deadLetterExchange: String? { definition["dead-letter-exchange"]?.text }
    public var deadLetterKey: String? { definition["dead-letter-routing-key"]?.text }
    public var alternateExchange: String? { definition["alternate-exchange"]?.text }

    enum CodingKeys: String, CodingKey {
        case name
        case pattern
        case applyTo = "apply-to"
        case priority
        case definition
    }
}
