import Delivery

/// How the tries at one hint go on: after each judgement, again or an end.
struct Tries: Equatable {
    enum Step: Equatable {
        case again
        case renewCredentialThenAgain
        case end(Ending)
    }

    private let limit: Int
    private var count = 0
    private var hasRenewed = false
    private var hasReconnected = false

    init(limit: Int) { self.limit = limit }

    /// `mayStart`: the deadline leaves room for one more request, and the process is not stopping.
    mutating func next(after judgement: Judgement, mayStart: Bool) -> Step {
        count += 1
        switch judgement.verdict {
        case .accepted(let id): return .end(.accepted(id: id))
        case .tokenSuspect: return .end(.tokenSuspect)
        case .tokenDead(let since): return .end(.tokenDead(since: since))
        case .retryLater(let after, let scope): return .end(.deferred(after: after, scope: scope))
        case .ambiguous: return .end(.ambiguous)
        case .faultyRequest: return .end(.faulty)
        case .pauseRoute(let extent): return .end(.paused(extent))
        case .holdCredentials: return .end(.unprocessed(after: 60))
        case .refreshCredentials:
            if hasRenewed { return .end(.paused(.credential)) }
            hasRenewed = true
            return mayStart ? .renewCredentialThenAgain : .end(.unprocessed(after: nil))
        case .retryNow(let thenPause):
            if thenPause {
                if hasReconnected { return .end(.paused(.credential)) }
                hasReconnected = true
            }
            return mayStart && count < limit ? .again : .end(.unprocessed(after: nil))
        }
    }
}

/// What one hint came to, once no further try follows.
enum Ending: Equatable {
    case accepted(id: String?)
    case tokenSuspect
    case tokenDead(since: Int64?)
    case deferred(after: Int?, scope: DeferralScope)
    case ambiguous
    case unprocessed(after: Int?)
    case paused(PauseExtent)
    case faulty
}
