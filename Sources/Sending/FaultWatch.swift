/// One exemplar of a faulty request is buried so that somebody can look at it; all hints share one template, so the next
/// one without an acceptance between is the configuration's fault.
struct FaultWatch: Equatable {
    private var hasBuried = false

    /// Whether this faulty request becomes a dead letter; else the route pauses.
    mutating func shouldBury() -> Bool {
        defer { hasBuried = true }
        return !hasBuried
    }

    mutating func accepted() { hasBuried = false }
}
