import Synchronization

/// A number that goes up and down.
public final class Gauge: Sendable {
    private let bits = Atomic<UInt64>(Double(0).bitPattern)

    init() {}

    public var value: Double { Double(bitPattern: bits.load(ordering: .relaxed)) }

    public func set(_ value: Double) { bits.store(value.bitPattern, ordering: .relaxed) }
    public func set(_ value: some BinaryInteger) { set(Double(value)) }

    public func add(_ amount: Double) {
        var old = bits.load(ordering: .relaxed)
        while true {
            let new = (Double(bitPattern: old) + amount).bitPattern
            let (exchanged, found) = bits.weakCompareExchange(expected: old, desired: new, ordering: .relaxed)
            if exchanged { return }
            old = found
        }
    }
}
