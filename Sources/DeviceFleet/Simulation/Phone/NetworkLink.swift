import Synchronization

/// Whether a phone has a network at the moment.
final class NetworkLink: Sendable {
    private let state = Mutex(true)

    var isUp: Bool { state.withLock { $0 } }
    func set(_ isUp: Bool) { state.withLock { $0 = isUp } }
}
