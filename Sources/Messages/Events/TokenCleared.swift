public import Delivery

/// Event `token.cleared.v1`: a provider token was taken out of use; the app registers a new one at its next launch.
public struct TokenCleared: Equatable, Sendable {
    public var account: String
    public var device: Identifier
    public var route: Route
    /// "dead" or "suspect".
    public var reason: String
    /// The database's clock in epoch milliseconds.
    public var at: Int64

    public init(account: String, device: Identifier, route: Route, reason: String, at: Int64) {
        self.account = account
        self.device = device
        self.route = route
        self.reason = reason
        self.at = at
    }

    public func encoded() -> [UInt8] {
        JSONWriter.object {
            $0.member("version", 1)
            $0.member("account", account)
            $0.member("device", device.description)
            $0.members(of: route)
            $0.member("reason", reason)
            $0.member("at", at)
        }
    }

    public init(decoding bytes: [UInt8]) throws(MessageError) {
        let reader = try JSONReader(bytes)
        try reader.version(1)
        self.init(
            account: try reader.string("account"), device: try reader.identifier("device"),
            route: try reader.route(), reason: try reader.string("reason"), at: try reader.integer("at"))
    }
}
