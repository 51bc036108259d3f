/// What proves that a job went all the way, each from the one who knows it best.
public struct Evidence: Equatable, Sendable {
    public let job: String
    public let documentType: String
    public let isComplete: Bool
    /// State of each device in the database.
    public let states: [String: String]
    /// Evidence that each device sent with its acknowledgement: equal exactly when the receipts are.
    public let acknowledgedEvidence: [String: String]
    /// Digest of the receipt on each phone.
    public let digests: [String: String]
    /// Message ids that reached the integrator, by recipient: one id is one effect, however often it came.
    public let effects: [String: Set<String>]
    let recipients: [String]

    public init(
        job: String, documentType: String, isComplete: Bool, states: [String: String],
        acknowledgedEvidence: [String: String], digests: [String: String], effects: [String: Set<String>],
        recipients: [String]
    ) {
        self.job = job
        self.documentType = documentType
        self.isComplete = isComplete
        self.states = states
        self.acknowledgedEvidence = acknowledgedEvidence
        self.digests = digests
        self.effects = effects
        self.recipients = recipients
    }

    /// What is missing, in words; empty if everything is there.
    public var gaps: [String] {
        var gaps: [String] = []
        if !isComplete { gaps.append("the job is not complete") }
        for (device, state) in states.sorted(by: { $0.key < $1.key }) where state != "acknowledged" {
            gaps.append("device \(device) is \(state)")
        }
        if digests.count != states.count { gaps.append("\(digests.count) of \(states.count) phones have a receipt") }
        if Set(digests.values).count > 1 { gaps.append("the phones' receipts differ") }
        if acknowledgedEvidence.count != states.count || Set(acknowledgedEvidence.values).count > 1 {
            gaps.append("the acknowledged evidence is not the same from every device")
        }
        for recipient in recipients where effects[recipient]?.count != 1 {
            gaps.append("\(effects[recipient]?.count ?? 0) downstream effects for \(recipient)")
        }
        for recipient in effects.keys where !recipients.contains(recipient) {
            gaps.append("a downstream effect for \(recipient), whom nobody named")
        }
        return gaps
    }
}
