/// A broker user with its rights in our virtual host; never a password.
public struct UserDefinition: Hashable, Sendable, Codable {
    /// Three regular expressions over names of exchanges and queues, searched and not anchored by themselves.
    public struct Permissions: Hashable, Sendable, Codable {
        public var configure: String
        public var write: String
        public var read: String

        public init(configure: String = none, write: String = none, read: String = none) {
            self.configure = configure
            self.write = write
            self.read = read
        }
    }

    /// Finds no name.
    public static let none = "^$"

    public var name: String
    public var tags: [String]
    public var permissions: Permissions
    /// Routing keys that the user may publish with, by topic exchange; every topic exchange it may write to is named, since
    /// without an entry every key is allowed.
    public var topicPermissions: [String: String]

    public init(
        _ name: String, tags: [String] = [], permissions: Permissions, topicPermissions: [String: String] = [:]
    ) {
        self.name = name
        self.tags = tags
        self.permissions = permissions
        self.topicPermissions = topicPermissions
    }

    /// What the exchange's entry says, also where the file says nothing because nothing may be written.
    public func topicPermission(on exchange: String) -> String { topicPermissions[exchange] ?? Self.none }

    enum CodingKeys: String, CodingKey {
        case name
        case tags
        case permissions
        case topicPermissions = "topic_permissions"
    }
}
