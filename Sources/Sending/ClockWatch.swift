/// Notices that this host's clock and the database's do not agree: hints from the future, or nothing but late ones for
/// as long as a hint lives.
struct ClockWatch: Equatable {
    private let tolerance: Int64
    private var lateSince: Int64?

    init(tolerance: Int64) { self.tolerance = tolerance }

    /// A hint was seen at `now` (epoch milliseconds); true if the clock is not to be trusted.
    mutating func saw(publishedAt: Int64, deadline: Int64, isLate: Bool, now: Int64) -> Bool {
        if publishedAt > now + tolerance { return true }
        guard isLate else {
            lateSince = nil
            return false
        }
        guard let since = lateSince else {
            lateSince = now
            return false
        }
        guard now - since >= deadline - publishedAt else { return false }
        // Counted anew: the pause that follows ends by a probe.
        lateSince = nil
        return true
    }
}
