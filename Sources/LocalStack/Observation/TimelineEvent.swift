public import FoundationEssentials

/// Something that happened to one job on its way, as a watcher saw it from outside.
public struct TimelineEvent: Equatable, Sendable {
    /// In the order of a way without detours.
    public enum Step: String, CaseIterable, Sendable {
        case committed
        case published
        case accepted = "accepted by provider"
        case fetched
        case claimed
        case generated
        case persisted
        case leaseGranted = "lease granted"
        case submitted = "downstream submitted"
        case fannedOut = "fanned out"
        case acknowledged
        case completed = "job complete"
    }

    public let at: Date
    public let step: Step
    /// Lower-case text of the id.
    public let job: String
    public let device: String?
    public let detail: String

    public init(_ step: Step, at: Date, job: String, device: String? = nil, detail: String = "") {
        self.at = at
        self.step = step
        self.job = job
        self.device = device
        self.detail = detail
    }
}
