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
    /// The end of the lease. What the database refuses is not tried any more after it.
    let until: ContinuousClock.Instant
}
