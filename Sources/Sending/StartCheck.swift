/// Whether a request may still be started for a hint (decision 2): one that ends after the deadline could ring a phone
/// that the relay is already ringing again.
struct StartCheck: Equatable, Sendable {
    /// Epoch milliseconds are compared, both of this host.
    let requestTimeout: Int64
    let tolerance: Int64

    init(_ settings: SendingSettings) {
        requestTimeout = settings.requestTimeout.milliseconds
        tolerance = settings.clockTolerance.milliseconds
    }

    func mayStart(deadline: Int64, now: Int64) -> Bool { now + requestTimeout + tolerance <= deadline }
}
