import Cryptography
public import Delivery
import Messages

/// The ciphertexts for all recipients of a job, made once and stored before the first submit: sent again they are the same.
public struct Submission: Equatable, Sendable {
    public var job: Identifier
    public var ciphertexts: [String: [UInt8]]
    /// As `DeviceAPISubmission` defines it.
    public var digest: [UInt8]

    public init(job: Identifier, ciphertexts: [String: [UInt8]], digest: [UInt8]) {
        self.job = job
        self.ciphertexts = ciphertexts
        self.digest = digest
    }

    /// Encrypts for each recipient under a key of its own, bound to job and recipient.
    static func make(
        of receipt: Receipt, for recipients: [String], under key: ContentKey, by generator: any ReceiptGenerator
    ) throws(GenerationError) -> Submission {
        var ciphertexts: [String: [UInt8]] = [:]
        for recipient in recipients {
            let message = try generator.downstream(receipt, for: recipient)
            ciphertexts[recipient] = SecretBox.seal(
                message, associated: associatedData(job: receipt.job, recipient: recipient),
                key: key.downstreamKey(for: recipient))
        }
        return Submission(
            job: receipt.job, ciphertexts: ciphertexts,
            digest: Digest.blake2b(DeviceAPISubmission.digestInput(ciphertexts)))
    }

    /// What a recipient's ciphertext is bound to.
    public static func associatedData(job: Identifier, recipient: String) -> [UInt8] {
        Array("md.downstream.v1".utf8) + job.bytes + ByteLayout.prefixed(recipient)
    }
}
