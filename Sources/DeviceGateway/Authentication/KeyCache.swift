import Delivery
import Synchronization

/// Keys of devices that called lately. Two generations: when the young one is full it becomes the old one, so what is
/// used stays and what is not goes, without a list to keep in order.
final class KeyCache: Sendable {
    private struct State {
        var young: [Identifier: DeviceKey] = [:]
        var old: [Identifier: DeviceKey] = [:]
    }

    private let capacity: Int
    private let state = Mutex(State())

    init(capacity: Int = 50_000) { self.capacity = capacity }

    subscript(device: Identifier) -> DeviceKey? {
        state.withLock { state in
            if let key = state.young[device] { return key }
            guard let key = state.old[device] else { return nil }
            insert(key, device, &state)
            return key
        }
    }

    func insert(_ key: DeviceKey, of device: Identifier) { state.withLock { insert(key, device, &$0) } }

    private func insert(_ key: DeviceKey, _ device: Identifier, _ state: inout State) {
        if state.young.count >= capacity / 2 {
            state.old = state.young
            state.young = [:]
        }
        state.young[device] = key
    }
}
