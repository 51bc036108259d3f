/// What gets a turn on a `ReactorThread` in every round: usually an actor whose executor the thread is, with a
/// `nonisolated func turn()` that says `assumeIsolated`.
public protocol ReactorSource: AnyObject {
    /// Lets the C library read, write and call back, without blocking. Returns the latest instant at which it wants the
    /// next turn (`.now` if it still holds data that no descriptor will announce), or nil to wait for a descriptor or job.
    func turn() -> ContinuousClock.Instant?
}
