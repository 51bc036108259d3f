public import Delivery

/// Body of `DELETE /v1/devices/me/push-token`.
public struct DeviceAPIPushTokenRemoval: Equatable, Sendable {
    public var provider: Provider
    /// Grows with every push-token call of the installation (K5).
    public var registration: Int64

    public init(provider: Provider, registration: Int64) {
        self.provider = provider
        self.registration = registration
    }

    public func encoded() -> [UInt8] {
        JSONWriter.object {
            $0.member("provider", provider.rawValue)
            $0.member("registration", registration)
        }
    }

    public init(decoding bytes: [UInt8]) throws(MessageError) {
        let reader = try JSONReader(bytes)
        self.init(
            provider: try reader.word("provider"),
            registration: try reader.integer("registration"))
    }
}
