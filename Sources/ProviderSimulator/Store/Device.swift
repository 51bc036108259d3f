/// A phone as a provider knows it: one token of one app, reachable or not, with what waits for it.
public struct Device: Hashable, Sendable {
    public enum State: Hashable, Sendable {
        case active
        /// The app was removed; the provider says since when, in epoch milliseconds.
        case unregistered(Int64)
        case expired(Int64)
    }

    public var token: String
    /// `apns` or `fcm`.
    public var provider: String
    /// Topic (bundle id) for APNs, project id for FCM.
    public var app: String
    /// Of APNs tokens; empty for FCM.
    public var environment: String
    /// `android`, `ios` or `web` for FCM; empty for APNs.
    public var platform: String
    /// FCM topics that the app subscribed to.
    public var topics: [String] = []
    public var isOnline: Bool
    /// False while the phone saves power: only urgent messages reach it.
    public var isAwake = true
    public var state = State.active
    /// What came while it could not be reached.
    var stored: [PushMessage] = []
    /// More than FCM keeps came meanwhile.
    var lostStored = false

    public init(
        token: String, provider: String, app: String, environment: String = "", isOnline: Bool = true
    ) {
        self.token = token
        self.provider = provider
        self.app = app
        self.environment = environment
        self.isOnline = isOnline
        platform = provider == "fcm" ? "android" : ""
    }

    var json: JSONValue {
        let (state, since): (JSONValue, JSONValue) =
            switch self.state {
            case .active: ("active", .null)
            case .unregistered(let since): ("unregistered", .integer(since))
            case .expired(let since): ("expired", .integer(since))
            }
        return [
            "token": .string(token), "provider": .string(provider), "app": .string(app),
            "environment": .string(environment), "platform": .string(platform),
            "topics": .array(topics.map { .string($0) }), "online": .bool(isOnline), "awake": .bool(isAwake),
            "state": state, "since": since, "stored": .integer(Int64(stored.count)),
        ]
    }
}
