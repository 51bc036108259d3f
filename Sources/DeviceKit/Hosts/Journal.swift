public import Delivery

/// One step of a device, written when it happened; a checker reads journals, no code of ours does.
public struct JournalEntry: Equatable, Sendable {
    public enum Step: String, Sendable, CaseIterable {
        case boot, enrolled, tokenRegistered, foreground, listed
        case hint, hintInvalid, fetched, claimed, generated, persisted, rejected, gone
        case leaseAsked, leaseGranted, leaseHeld, leaseLost, leaseReleased, submitSent, submitted, fanoutOver,
            fanoutGivenUp
        case ackSent, acknowledged, nackSent, failed, retryLater
    }

    public var step: Step
    public var job: Identifier?
    /// Of the receipt, or of the submission for the steps about it; hexadecimal.
    public var digest: String?
    public var epoch: Int64?
    public var detail: String?

    public init(
        _ step: Step, job: Identifier? = nil, digest: String? = nil, epoch: Int64? = nil, detail: String? = nil
    ) {
        self.step = step
        self.job = job
        self.digest = digest
        self.epoch = epoch
        self.detail = detail
    }
}

/// Takes journal entries; must not block.
public protocol Journal: Sendable {
    func record(_ entry: JournalEntry)
}

/// Keeps none.
public struct NoJournal: Journal {
    public init() {}
    public func record(_ entry: JournalEntry) {}
}
