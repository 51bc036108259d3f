public import Delivery

/// What the phone generated and keeps: the same bytes on every device of the account.
public struct Receipt: Equatable, Sendable {
    public var job: Identifier
    public var documentType: DocumentType
    public var document: [UInt8]
    /// BLAKE2b-256 of the document.
    public var digest: [UInt8]

    public init(job: Identifier, documentType: DocumentType, document: [UInt8], digest: [UInt8]) {
        self.job = job
        self.documentType = documentType
        self.document = document
        self.digest = digest
    }
}
