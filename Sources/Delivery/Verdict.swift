/// What one try at one hint came to, decided by the pure tables of `APNSAnswer` and `FCMAnswer`; what a sender does with
/// each is in the comments.
public enum Verdict: Hashable, Sendable {
    /// Outcome `accepted`. `id` is what the provider calls the notification.
    case accepted(id: String?)
    /// Outcome `token_suspect`: the recorder judges; many of them pause the route (quick brake).
    case tokenSuspect
    /// Outcome `token_dead`. `since` is when the provider says it died, epoch milliseconds.
    case tokenDead(since: Int64?)
    /// Outcome `deferred`. `after` is the provider's wish in seconds, already clamped.
    case retryLater(after: Int?, scope: DeferralScope)
    /// Provably not processed: again on another connection; with `thenPause` a second time pauses the credential.
    case retryNow(thenPause: Bool)
    /// Outcome `ambiguous`: sent, and nobody knows.
    case ambiguous
    /// A new credential and one more try; refused again, the credential pauses.
    case refreshCredentials
    /// The provider saw too many new credentials: none is made for 20 minutes, outcome `returned_unprocessed`.
    case holdCredentials
    /// A fault of the configuration: outcome `returned_paused` for this hint and all that are not started.
    case pauseRoute(PauseExtent)
    /// A fault of the request: dead letter `faulty_request`; the next one without an acceptance between pauses the route.
    case faultyRequest

    /// The word in metrics and logs.
    public var name: String {
        switch self {
        case .accepted: "accepted"
        case .tokenSuspect: "token_suspect"
        case .tokenDead: "token_dead"
        case .retryLater: "retry_later"
        case .retryNow: "retry_now"
        case .ambiguous: "ambiguous"
        case .refreshCredentials: "refresh_credentials"
        case .holdCredentials: "hold_credentials"
        case .pauseRoute: "pause_route"
        case .faultyRequest: "faulty_request"
        }
    }
}

/// What a pause stops.
public enum PauseExtent: String, Hashable, Sendable, CaseIterable {
    /// This provider, environment and app: its topic is at fault, or its requests are.
    case route
    /// Every route that uses the credential: the key, team, environment or project is at fault.
    case credential
    /// Every route of this process: its own connection or clock is at fault.
    case process
}

/// A verdict with what it was based on, for outcomes, metrics and logs.
public struct Judgement: Hashable, Sendable {
    public var verdict: Verdict
    /// nil when there was no answer.
    public var status: Int?
    /// The provider's word, or ours where it gave none.
    public var reason: String

    public init(_ verdict: Verdict, status: Int? = nil, reason: String) {
        self.verdict = verdict
        self.status = status
        self.reason = reason
    }
}
