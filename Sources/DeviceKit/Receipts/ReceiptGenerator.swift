import Cryptography
public import Delivery
import Messages

/// Makes the receipt of a decrypted document. Must be a function of its arguments alone: every device of the account
/// has to come to the same bytes.
public protocol ReceiptGenerator: Sendable {
    func receipt(
        of document: [UInt8], job: Identifier, documentType: DocumentType
    ) throws(GenerationError) -> Receipt

    /// What one downstream recipient gets, before it is encrypted for the recipient.
    func downstream(_ receipt: Receipt, for recipient: String) throws(GenerationError) -> [UInt8]
}

/// Why there is no receipt.
public enum GenerationError: Error, Equatable, Sendable {
    /// The document cannot become one, however often it is tried.
    case documentInvalid
    /// Memory, storage or the like: try again.
    case unavailable
}

/// The generator that is used unless an app brings its own: a canonical JSON document around the decrypted one.
public struct CanonicalReceiptGenerator: ReceiptGenerator {
    public init() {}

    public func receipt(
        of document: [UInt8], job: Identifier, documentType: DocumentType
    ) throws(GenerationError) -> Receipt {
        guard let content = try? JSONValue(parsing: document), content.object != nil else {
            throw .documentInvalid
        }
        let receipt = JSONValue.object([
            "format": .integer(1), "job": .string(job.description), "documentType": .string(documentType.rawValue),
            "content": content,
        ]).encoded()
        return Receipt(
            job: job, documentType: documentType, document: receipt, digest: Digest.blake2b(receipt))
    }

    public func downstream(_ receipt: Receipt, for recipient: String) throws(GenerationError) -> [UInt8] {
        receipt.document
    }
}
