public import Delivery

/// The four contract fields, and nothing else: all that ever leaves for a provider about a job.
public struct WorkHint: Equatable, Sendable {
    public static let eventType = "RECEIPT_GENERATION_AVAILABLE"
    public static let eventVersion = 1

    public var job: Identifier
    public var documentType: DocumentType

    public init(job: Identifier, documentType: DocumentType) {
        self.job = job
        self.documentType = documentType
    }
}
