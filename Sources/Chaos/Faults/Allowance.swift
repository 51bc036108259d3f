/// What may be found after a fault without being one of ours.
struct Allowance: Equatable, Sendable {
    /// Confirmed or unknown publishes that the broker lost: published again, and counted as silences.
    var silences = false
    /// Confirmed events that a wiped broker took with it; whoever has to act finds a row (decision 1).
    var lostEvents = false
    /// Events that the relay buried as unpublishable, each with its dead letter.
    var buriedEvents = false
}
