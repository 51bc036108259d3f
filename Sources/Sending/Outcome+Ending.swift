import Delivery
import Messages

extension Outcome {
    /// The outcome of a hint that came to `ending`; nil for a faulty request, which becomes a dead letter or a pause.
    init?(
        of hint: Hint, _ ending: Ending, _ judgement: Judgement, redelivered: Bool, probe: Bool, at now: Int64
    ) {
        let kind: OutcomeKind
        switch ending {
        case .accepted: kind = .accepted
        case .tokenSuspect: kind = .tokenSuspect
        case .tokenDead: kind = .tokenDead
        case .deferred: kind = .deferred
        case .ambiguous: kind = .ambiguous
        case .unprocessed: kind = .returnedUnprocessed
        case .paused: kind = .returnedPaused
        case .faulty: return nil
        }
        self.init(of: hint, kind: kind, redelivered: redelivered, at: now, probe: probe)
        status = judgement.status
        reason = judgement.reason.isEmpty ? nil : judgement.reason
        switch ending {
        case .accepted(let id): providerID = id ?? (hint.route.provider == .apns ? hint.entry.description : nil)
        case .tokenDead(let since): providerTime = since
        case .deferred(let after, let scope):
            retryAfter = after
            self.scope = scope
        case .unprocessed(let after): retryAfter = after
        case .paused: pause = judgement.reason
        case .tokenSuspect, .ambiguous, .faulty: break
        }
    }

    /// The outcome of a hint for which no request was started.
    static func returned(
        _ kind: OutcomeKind, _ hint: Hint, redelivered: Bool, pause: String? = nil, at now: Int64
    ) -> Outcome {
        Outcome(of: hint, kind: kind, redelivered: redelivered, at: now, pause: pause)
    }
}
