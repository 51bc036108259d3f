public import Delivery

/// Answer 201 of `POST /v1/devices`.
public struct DeviceAPIEnrolled: Equatable, Sendable {
    public var device: Identifier
    public var account: String
    /// Of the account, this device included (K3).
    public var deviceSetVersion: Int64

    public init(device: Identifier, account: String, deviceSetVersion: Int64) {
        self.device = device
        self.account = account
        self.deviceSetVersion = deviceSetVersion
    }

    public func encoded() -> [UInt8] {
        JSONWriter.object {
            $0.member("device", device.description)
            $0.member("account", account)
            $0.member("deviceSetVersion", deviceSetVersion)
        }
    }

    public init(decoding bytes: [UInt8]) throws(MessageError) {
        let reader = try JSONReader(bytes)
        self.init(
            device: try reader.identifier("device"),
            account: try reader.string("account"),
            deviceSetVersion: try reader.integer("deviceSetVersion"))
    }
}
