/// Body of `PUT /v1/devices/me/keys/{keyId}`; the key becomes the current one.
public struct DeviceAPIAgreementKey: Equatable, Sendable {
    /// X25519, 32 bytes.
    public var publicKey: [UInt8]

    public init(publicKey: [UInt8]) {
        self.publicKey = publicKey
    }

    public func encoded() -> [UInt8] {
        JSONWriter.object {
            $0.member("publicKey", base64: publicKey)
        }
    }

    public init(decoding bytes: [UInt8]) throws(MessageError) {
        let reader = try JSONReader(bytes)
        self.init(
            publicKey: try reader.bytes("publicKey"))
    }
}
