/// The eight steps of "Production verification".
public enum VerificationStep: Int, CaseIterable, Sendable {
    case registration = 1
    case background
    case targetedFetch
    case exactlyOnce
    case permissionOff
    case offline
    case forceQuit
    case tokens

    public var title: String {
        switch self {
        case .registration: "the token is registered after login and survives an account reset"
        case .background: "a receipt is submitted while the app is in the background"
        case .targetedFetch: "one hint is sent, and the device fetches that job alone"
        case .exactlyOnce: "generation, persistence, downstream delivery and acknowledgement complete exactly once"
        case .permissionOff: "the same with visible notifications off"
        case .offline: "offline, then connectivity restored: everything is caught up"
        case .forceQuit: "force-quit, then reopened: the foreground sync catches up"
        case .tokens: "the token rotates, and an invalid token is answered by the provider"
        }
    }

    /// As reports name it: `step 3, …`.
    public var name: String { "step \(rawValue), \(title)" }
}
