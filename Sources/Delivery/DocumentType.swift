/// What the phone is asked to generate.
public enum DocumentType: String, Hashable, Sendable, CaseIterable {
    case receipt = "RECEIPT"
    case creditNote = "CREDIT_NOTE"
}
