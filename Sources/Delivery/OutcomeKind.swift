/// What a sender reports about one published hint; the recorder alone decides what follows.
public enum OutcomeKind: String, Hashable, Sendable, CaseIterable {
    case accepted
    case deferred
    case ambiguous
    case tokenSuspect = "token_suspect"
    case tokenDead = "token_dead"
    /// The deadline was too near to start a request.
    case returnedLate = "returned_late"
    /// The route is paused, or a probe of it failed again.
    case returnedPaused = "returned_paused"
    /// The sender stops and had not started it.
    case returnedStopping = "returned_stopping"
    /// Provably not processed to the last try.
    case returnedUnprocessed = "returned_unprocessed"
}
