public import Delivery

/// Answer 200 of `GET /v1/jobs/{jobId}`: all that the device needs to open, check and generate.
public struct DeviceAPIJob: Equatable, Sendable {
    public var job: Identifier
    public var documentType: DocumentType
    /// What the server knows of this device and job.
    public var state: DeviceAPIJobState
    public var fanout: DeviceAPIFanout
    public var bodyFormat: Int
    /// K1: nonce and ciphertext.
    public var body: [UInt8]
    /// BLAKE2b-256 of `body`.
    public var bodyDigest: [UInt8]
    public var commitment: [UInt8]
    /// K7.
    public var signature: [UInt8]
    public var signingKeyID: String
    /// The agreement key that `sealedKey` is sealed to.
    public var keyID: String
    /// K2.
    public var sealedKey: [UInt8]
    /// Whom a submit has one ciphertext for; empty = no fan-out.
    public var recipients: [String]
    /// Epoch milliseconds.
    public var committedAt: Int64
    /// Epoch milliseconds.
    public var expiresAt: Int64
    /// Other jobs in the device's pending set: more than none calls for a sync.
    public var pendingOthers: Int

    public init(
        job: Identifier, documentType: DocumentType, state: DeviceAPIJobState, fanout: DeviceAPIFanout, bodyFormat: Int,
        body: [UInt8], bodyDigest: [UInt8], commitment: [UInt8], signature: [UInt8], signingKeyID: String,
        keyID: String, sealedKey: [UInt8], recipients: [String], committedAt: Int64, expiresAt: Int64,
        pendingOthers: Int
    ) {
        self.job = job
        self.documentType = documentType
        self.state = state
        self.fanout = fanout
        self.bodyFormat = bodyFormat
        self.body = body
        self.bodyDigest = bodyDigest
        self.commitment = commitment
        self.signature = signature
        self.signingKeyID = signingKeyID
        self.keyID = keyID
        self.sealedKey = sealedKey
        self.recipients = recipients
        self.committedAt = committedAt
        self.expiresAt = expiresAt
        self.pendingOthers = pendingOthers
    }

    public func encoded() -> [UInt8] {
        JSONWriter.object {
            $0.member("job", job.description)
            $0.member("documentType", documentType.rawValue)
            $0.member("state", state.rawValue)
            $0.member("fanout", fanout.rawValue)
            $0.member("bodyFormat", bodyFormat)
            $0.member("body", base64: body)
            $0.member("bodyDigest", base64: bodyDigest)
            $0.member("commitment", base64: commitment)
            $0.member("signature", base64: signature)
            $0.member("signingKeyId", signingKeyID)
            $0.member("keyId", keyID)
            $0.member("sealedKey", base64: sealedKey)
            $0.key("recipients")
            $0.array { for text in recipients { $0.string(text) } }
            $0.member("committedAt", committedAt)
            $0.member("expiresAt", expiresAt)
            $0.member("pendingOthers", pendingOthers)
        }
    }

    public init(decoding bytes: [UInt8]) throws(MessageError) {
        let reader = try JSONReader(bytes)
        self.init(
            job: try reader.identifier("job"),
            documentType: try reader.word("documentType"),
            state: try reader.word("state"),
            fanout: try reader.word("fanout"),
            bodyFormat: try reader.int("bodyFormat"),
            body: try reader.bytes("body"),
            bodyDigest: try reader.bytes("bodyDigest"),
            commitment: try reader.bytes("commitment"),
            signature: try reader.bytes("signature"),
            signingKeyID: try reader.string("signingKeyId"),
            keyID: try reader.string("keyId"),
            sealedKey: try reader.bytes("sealedKey"),
            recipients: try reader.strings("recipients"),
            committedAt: try reader.integer("committedAt"),
            expiresAt: try reader.integer("expiresAt"),
            pendingOthers: try reader.int("pendingOthers"))
    }
}
