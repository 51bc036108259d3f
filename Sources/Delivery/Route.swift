/// Provider, environment and app: the unit that has one queue, one row of `route_state`, and pauses as a whole.
public struct Route: Hashable, Sendable, CustomStringConvertible {
    public let provider: Provider
    /// "production" or "sandbox" for APNs, "" for FCM, which has none.
    public let environment: String
    public let app: String

    public init(provider: Provider, environment: String, app: String) {
        self.provider = provider
        self.environment = environment
        self.app = app
    }

    /// The route of a hint queue's name; `nil` for any other queue, the dead-letter queues included.
    public init?(queue: some StringProtocol) {
        let parts = String(queue).split(separator: "." as Character, omittingEmptySubsequences: false).map(String.init)
        guard let first = parts.first, first == "hints", parts.count >= 3,
            let provider = Provider(rawValue: parts[1])
        else { return nil }
        switch (provider, parts.count) {
        case (.apns, 4): self.init(provider: .apns, environment: parts[2], app: parts[3])
        case (.fcm, 3): self.init(provider: .fcm, environment: "", app: parts[2])
        default: return nil
        }
        guard isValid else { return nil }
    }

    /// Whether the environment is one the provider has and the app name follows the rule.
    public var isValid: Bool {
        guard Route.isValid(app: app) else { return false }
        return switch provider {
        case .apns: environment == "production" || environment == "sandbox"
        case .fcm: environment.isEmpty
        }
    }

    /// `hints.apns.<environment>.<app>` or `hints.fcm.<app>`; also the routing key on exchange `hints`.
    public var queue: String { "hints.\(description)" }

    /// The routing key of this route's outcomes on exchange `results`.
    public var outcomeKey: String { "outcome.\(description)" }

    /// The queue and routing key of this provider's dead letters on exchange `dead`.
    public var deadQueue: String { "hints.\(provider.rawValue).dead" }

    /// `apns.<environment>.<app>` or `fcm.<app>`: how metrics, logs and commands name a route.
    public var description: String {
        switch provider {
        case .apns: "apns.\(environment).\(app)"
        case .fcm: "fcm.\(app)"
        }
    }

    /// `[a-z0-9-]{1,40}` and not `dead`, because app names are parts of queue names.
    public static func isValid(app: some StringProtocol) -> Bool {
        guard app != "dead", (1...40).contains(app.utf8.count) else { return false }
        return app.utf8.allSatisfy { unit in
            switch unit {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"): true
            default: false
            }
        }
    }
}
