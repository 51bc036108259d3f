/// A bug that a verification has to find, with the number it has in the list of planted bugs.
public enum VerificationDefect: Int, CaseIterable, Sendable {
    case ackBeforeDisk = 5
    case ciphertextMadeAnew = 6
    case syncByCursor = 10
    case explainedPerAccount = 13
    case hintFetchesOthers = 15
    case jobInAlert = 17
    case workReplaced = 18
    case ackBeforeSubmit = 19

    /// As the command line names it.
    public var name: String {
        switch self {
        case .ackBeforeDisk: "ack-before-disk"
        case .ciphertextMadeAnew: "ciphertext-made-anew"
        case .syncByCursor: "sync-by-cursor"
        case .explainedPerAccount: "explained-per-account"
        case .hintFetchesOthers: "hint-fetches-others"
        case .jobInAlert: "job-in-alert"
        case .workReplaced: "work-replaced"
        case .ackBeforeSubmit: "ack-before-submit"
        }
    }

    /// Which step has to fail with it.
    public var step: VerificationStep {
        switch self {
        case .explainedPerAccount: .registration
        case .hintFetchesOthers, .jobInAlert, .workReplaced: .targetedFetch
        case .ackBeforeDisk, .ciphertextMadeAnew, .ackBeforeSubmit: .exactlyOnce
        case .syncByCursor: .offline
        }
    }
}
