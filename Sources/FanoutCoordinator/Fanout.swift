import Delivery
import Messages
import TokenSigning

/// A submission that this process has taken to publish: one message a recipient.
struct Fanout: Equatable, Sendable {
    var job: Identifier
    var documentType: DocumentType
    var epoch: Int64
    var device: Identifier
    var digest: [UInt8]
    var traceparent: String?
    var recipients: [String]
    /// Seconds since 1970.
    var submittedAt: UInt64

    /// The message for one recipient.
    func message(to recipient: String, _ ciphertext: [UInt8]) -> DownstreamMessage {
        DownstreamMessage(
            job: job, documentType: documentType, recipient: recipient, epoch: epoch, device: device,
            ciphertext: ciphertext, digest: digest)
    }

    /// The version-5 UUID of job and recipient: however often it is published, the integrator sees the same id.
    static func messageID(job: Identifier, recipient: String) -> Identifier {
        Identifier(bytes: nameBasedUUID(namespace: job.bytes, name: Array(recipient.utf8)))
    }
}
