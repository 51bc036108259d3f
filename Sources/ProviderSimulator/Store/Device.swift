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
    public var isOnline: Bool
    public var state = State.active
    /// What came while it was offline.
    var stored: [PushMessage] = []
    /// More than FCM keeps came while it was offline.
    var lostStored = false

    public init(
        token: String, provider: String, app: String, environment: String = "", isOnline: Bool = true
    ) {
        self.token = token
        self.provider = provider
        self.app = app
        self.environment = environment
        self.isOnline = isOnline
    }

    var json: JSONValue {
        let state: JSONValue =
            switch self.state {
            case .active: "active"
            case .unregistered: "unregistered"
            case .expired: "expired"
            }
        return [
            "token": .string(token), "provider": .string(provider), "app": .string(app),
            "environment": .string(environment), "online": .bool(isOnline), "state": state,
            "stored": .integer(Int64(stored.count)),
        ]
    }
}

/// A message on its way to a phone.
struct PushMessage: Hashable, Sendable {
    /// APNs: `apns-id`; FCM: the message's name.
    var id: String
    /// JSON text: what the app's callback gets.
    var payload: [UInt8]
    var collapseKey: String?
    var priority: String
    /// Epoch milliseconds after which it is not delivered any more; nil = as long as the provider keeps it.
    var expiresAt: Int64?
    /// Not stored: delivered now or never.
    var isNowOrNever = false
    var kind = DeviceTable.Outgoing.Kind.message
}
