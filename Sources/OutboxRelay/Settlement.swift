/// What is to be written about one leased row.
struct Settlement: Sendable {
    enum Verb: Hashable, Sendable {
        case confirmHint
        case confirmEvent
        case keepUnknown
        case release
        case postpone
        case bury
    }

    let verb: Verb
    let lease: Lease
    /// Of `postpone`.
    var delay: Duration = .zero
    /// Of `postpone` and `bury`.
    var reason = ""
    /// After this nobody needs to hear it: the lease is over.
    let until: ContinuousClock.Instant
}
