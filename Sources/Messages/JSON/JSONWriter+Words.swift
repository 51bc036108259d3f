import Delivery

extension JSONWriter {
    mutating func member(_ name: String, _ identifier: Identifier) {
        key(name)
        plainString(36) { identifier.write(to: $0) }
    }

    mutating func member(_ name: String, _ fingerprint: Fingerprint) {
        key(name)
        plainString(64) { Hex.encode(fingerprint.bytes, to: $0) }
    }

    /// `provider`, `environment` ("" for FCM) and `app`.
    mutating func members(of route: Route) {
        member("provider", route.provider.rawValue)
        member("environment", route.environment)
        member("app", route.app)
    }
}
