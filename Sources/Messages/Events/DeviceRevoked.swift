public import Delivery

/// Event `device.revoked.v1`: a device lost its rights; the coordinator does the rest of it.
public struct DeviceRevoked: Equatable, Sendable {
    public var account: String
    public var device: Identifier
    /// The database's clock in epoch milliseconds.
    public var at: Int64

    public init(account: String, device: Identifier, at: Int64) {
        self.account = account
        self.device = device
        self.at = at
    }

    public func encoded() -> [UInt8] {
        JSONWriter.object {
            $0.member("version", 1)
            $0.member("account", account)
            $0.member("device", device.description)
            $0.member("at", at)
        }
    }

    public init(decoding bytes: [UInt8]) throws(MessageError) {
        let reader = try JSONReader(bytes)
        try reader.version(1)
        self.init(
            account: try reader.string("account"), device: try reader.identifier("device"),
            at: try reader.integer("at"))
    }
}
