import Dispatch
import Synchronization

/// Lets a thread of the host wait for asynchronous work. It is not one of Swift's own, so nothing waits for it in turn.
func blocking<Value: Sendable>(_ work: @escaping @Sendable () async -> Value) -> Value {
    let result = Outcome<Value>()
    Task.detached { result.set(await work()) }
    return result.wait()
}

/// A value that one side leaves and the other waits for.
private final class Outcome<Value: Sendable>: Sendable {
    private let value = Mutex<Value?>(nil)
    private let isThere = DispatchSemaphore(value: 0)

    func set(_ new: Value) {
        value.withLock { $0 = new }
        isThere.signal()
    }

    func wait() -> Value {
        while true {
            isThere.wait()
            if let value = value.withLock({ $0 }) { return value }
        }
    }
}
