import Synchronization

/// Whether something told us of work that only a sync can name.
final class SyncWish: Sendable {
    private let isSet = Mutex(false)

    func set() { isSet.withLock { $0 = true } }
    func clear() { isSet.withLock { $0 = false } }
    var isWished: Bool { isSet.withLock { $0 } }
}
