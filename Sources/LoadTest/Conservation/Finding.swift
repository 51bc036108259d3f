import Delivery

/// A hint that is not accounted for.
struct Finding: Equatable, Sendable, CustomStringConvertible {
    enum Kind: String, CaseIterable, Sendable {
        /// Nobody has it any more, and no provider accepted it.
        case lost
        /// The provider accepted it more often than decision 3 allows.
        case doubled
        /// It ended in a way that nothing seen by the test explains.
        case unexplained
    }

    let kind: Kind
    /// nil where there is no entry.
    let entry: Identifier?
    let job: Identifier?
    let device: Identifier?
    let detail: String

    init(_ kind: Kind, _ fate: HintFate, _ detail: String) {
        self.kind = kind
        entry = fate.entry
        job = fate.job
        device = fate.device
        self.detail = detail
    }

    init(_ kind: Kind, _ detail: String) {
        self.kind = kind
        entry = nil
        job = nil
        device = nil
        self.detail = detail
    }

    var description: String {
        let names = [entry.map { "entry \($0)" }, job.map { "job \($0)" }, device.map { "device \($0)" }]
        return "\(kind.rawValue): \(names.compactMap { $0 }.map { "\($0), " }.joined())\(detail)"
    }
}
