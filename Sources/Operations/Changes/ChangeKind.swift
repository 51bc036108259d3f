/// What can be done to many due rows at once.
public enum ChangeKind: String, Sendable, CaseIterable {
    case retryNow = "retry-now"
    case release
    case expire

    var command: String { "outbox \(rawValue)" }

    /// `would make 12 hints due now`.
    func words(_ count: String, done: Bool) -> String {
        switch self {
        case .retryNow: "\(done ? "made" : "would make") \(count) due now"
        case .release: "\(done ? "took" : "would take") the lease from \(count)"
        case .expire: "\(done ? "ended" : "would end") \(count) without a push"
        }
    }
}
