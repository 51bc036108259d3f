import Cryptography
import Delivery
import Messages

/// Body of `PUT /v1/producer/jobs/{jobId}`: P1 as JSON.
struct CommitBody {
    var account: String
    var documentType: String
    var body: [UInt8]
    var bodyFormat: Int16
    var bodyDigest: [UInt8]
    var commitment: [UInt8]
    var signature: [UInt8]
    var signingKeyID: String
    var deviceSetVersion: Int64
    var sealedKeys: [(device: Identifier, keyID: String, sealed: [UInt8])]
    var recipients: [String]
    var lifetime: Duration
    var traceparent: String?

    init(decoding bytes: [UInt8]) throws(MessageError) {
        let reader = try JSONReader(bytes)
        account = try reader.string("account")
        documentType = try reader.string("documentType")
        body = try reader.bytes("body")
        guard let format = Int16(exactly: try reader.integer("bodyFormat")) else {
            throw .malformed("bodyFormat is out of range")
        }
        bodyFormat = format
        bodyDigest = try reader.bytes("bodyDigest")
        commitment = try reader.bytes("commitment")
        signature = try reader.bytes("signature")
        signingKeyID = try reader.string("signingKeyId")
        deviceSetVersion = try reader.integer("deviceSetVersion")
        sealedKeys = []
        for element in try reader.array("sealedKeys") {
            let key = try JSONReader(element)
            sealedKeys.append((try key.identifier("device"), try key.string("keyId"), try key.bytes("sealed")))
        }
        recipients = reader.optional("recipients") == nil ? [] : try reader.strings("recipients")
        let seconds = try reader.optionalInteger("lifetimeSeconds") ?? 30 * 86_400
        guard (0...1_000_000_000).contains(seconds) else { throw .malformed("lifetimeSeconds is out of range") }
        lifetime = .seconds(seconds)
        traceparent = try reader.optionalString("traceparent")
        guard Digest.blake2b(body) == bodyDigest else { throw .malformed("bodyDigest is not that of body") }
    }
}
