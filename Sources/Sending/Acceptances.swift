import Delivery
import Synchronization

/// The process's one memory of acceptances, shared by its routes.
final class Acceptances: Sendable {
    private let memory: Mutex<AcceptanceMemory>

    init(limit: Int) { memory = Mutex(AcceptanceMemory(limit: limit)) }

    func accepted(_ key: AcceptanceMemory.Key, id: String?) { memory.withLock { $0.accepted(key, id: id) } }

    func id(of key: AcceptanceMemory.Key) -> String?? { memory.withLock { $0.id(of: key) } }
}
