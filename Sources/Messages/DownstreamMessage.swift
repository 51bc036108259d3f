public import Delivery

/// Type `downstream.v1`: one recipient's ciphertext, from the coordinator to the integrator, who drops repeats by message id.
public struct DownstreamMessage: Equatable, Sendable {
    public var job: Identifier
    public var documentType: DocumentType
    /// Opaque, as named at commit.
    public var recipient: String
    /// Epoch of the lease under which it was submitted.
    public var epoch: Int64
    public var device: Identifier
    public var ciphertext: [UInt8]
    /// BLAKE2b-256 of the whole submission, as the device stated it.
    public var digest: [UInt8]

    public init(
        job: Identifier, documentType: DocumentType, recipient: String, epoch: Int64, device: Identifier,
        ciphertext: [UInt8], digest: [UInt8]
    ) {
        self.job = job
        self.documentType = documentType
        self.recipient = recipient
        self.epoch = epoch
        self.device = device
        self.ciphertext = ciphertext
        self.digest = digest
    }

    /// The routing key on exchange `downstream`.
    public var key: String { "\(documentType.rawValue).\(recipient)" }

    public func encoded() -> [UInt8] {
        JSONWriter.object {
            $0.member("version", 1)
            $0.member("job", job.description)
            $0.member("documentType", documentType.rawValue)
            $0.member("recipient", recipient)
            $0.member("epoch", epoch)
            $0.member("device", device.description)
            $0.member("ciphertext", base64: ciphertext)
            $0.member("digest", base64: digest)
        }
    }

    public init(decoding bytes: [UInt8]) throws(MessageError) {
        let reader = try JSONReader(bytes)
        try reader.version(1)
        self.init(
            job: try reader.identifier("job"), documentType: try reader.word("documentType"),
            recipient: try reader.string("recipient"), epoch: try reader.integer("epoch"),
            device: try reader.identifier("device"), ciphertext: try reader.bytes("ciphertext"),
            digest: try reader.bytes("digest"))
    }
}
