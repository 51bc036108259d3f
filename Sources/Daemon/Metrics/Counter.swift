import Synchronization

/// A number that only grows.
public final class Counter: Sendable {
    private let count = Atomic<UInt64>(0)

    init() {}

    public var value: UInt64 { count.load(ordering: .relaxed) }

    public func add() { add(1) }
    public func add(_ amount: some BinaryInteger) { count.add(UInt64(amount), ordering: .relaxed) }
}
