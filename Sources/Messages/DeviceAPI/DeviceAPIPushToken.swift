public import Delivery

/// Body of `PUT /v1/devices/me/push-token`; answer 204, or 409 `stale-registration` with the highest number seen.
public struct DeviceAPIPushToken: Equatable, Sendable {
    public var provider: Provider
    /// "production" or "sandbox" for APNs, "" for FCM.
    public var environment: String
    public var app: String
    public var kind: TokenKind
    public var token: String
    /// Grows with every push-token call of the installation (K5).
    public var registration: Int64
    /// Whether the system shows alerts; for display only, never a condition.
    public var alertsEnabled: Bool?

    public init(
        provider: Provider, environment: String, app: String, kind: TokenKind, token: String, registration: Int64,
        alertsEnabled: Bool? = nil
    ) {
        self.provider = provider
        self.environment = environment
        self.app = app
        self.kind = kind
        self.token = token
        self.registration = registration
        self.alertsEnabled = alertsEnabled
    }

    public func encoded() -> [UInt8] {
        JSONWriter.object {
            $0.member("provider", provider.rawValue)
            $0.member("environment", environment)
            $0.member("app", app)
            $0.member("kind", kind.rawValue)
            $0.member("token", token)
            $0.member("registration", registration)
            if let alertsEnabled { $0.member("alertsEnabled", alertsEnabled) }
        }
    }

    public init(decoding bytes: [UInt8]) throws(MessageError) {
        let reader = try JSONReader(bytes)
        self.init(
            provider: try reader.word("provider"),
            environment: try reader.string("environment"),
            app: try reader.string("app"),
            kind: try reader.word("kind"),
            token: try reader.string("token"),
            registration: try reader.integer("registration"),
            alertsEnabled: try reader.optionalBool("alertsEnabled"))
    }
}
