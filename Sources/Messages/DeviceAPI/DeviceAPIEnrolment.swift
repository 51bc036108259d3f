public import Delivery

/// Body of `POST /v1/devices`, signed with the key it brings; the same ticket with the same keys gets the same 201.
public struct DeviceAPIEnrolment: Equatable, Sendable {
    /// One-time, from the producer API.
    public var ticket: String
    /// Chosen by the device, random.
    public var device: Identifier
    public var platform: Platform
    public var signingAlgorithm: SigningAlgorithm
    /// Ed25519: 32 bytes. P-256: the X9.63 point.
    public var signingKey: [UInt8]
    /// Names the agreement key, `[A-Za-z0-9_.-]{1,64}`.
    public var keyID: String
    /// X25519, 32 bytes: what producers seal to.
    public var publicKey: [UInt8]

    public init(
        ticket: String, device: Identifier, platform: Platform, signingAlgorithm: SigningAlgorithm, signingKey: [UInt8],
        keyID: String, publicKey: [UInt8]
    ) {
        self.ticket = ticket
        self.device = device
        self.platform = platform
        self.signingAlgorithm = signingAlgorithm
        self.signingKey = signingKey
        self.keyID = keyID
        self.publicKey = publicKey
    }

    public func encoded() -> [UInt8] {
        JSONWriter.object {
            $0.member("ticket", ticket)
            $0.member("device", device.description)
            $0.member("platform", platform.rawValue)
            $0.member("signingAlgorithm", signingAlgorithm.rawValue)
            $0.member("signingKey", base64: signingKey)
            $0.member("keyId", keyID)
            $0.member("publicKey", base64: publicKey)
        }
    }

    public init(decoding bytes: [UInt8]) throws(MessageError) {
        let reader = try JSONReader(bytes)
        self.init(
            ticket: try reader.string("ticket"),
            device: try reader.identifier("device"),
            platform: try reader.word("platform"),
            signingAlgorithm: try reader.word("signingAlgorithm"),
            signingKey: try reader.bytes("signingKey"),
            keyID: try reader.string("keyId"),
            publicKey: try reader.bytes("publicKey"))
    }
}
