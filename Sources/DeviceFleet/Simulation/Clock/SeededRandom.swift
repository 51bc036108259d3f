import Delivery
public import DeviceKit
import Synchronization

/// Everything that is drawn in a simulation, so that a seed says it all. Never for secrets.
public final class SeededRandom: RandomSource {
    private let generator: Mutex<SplitMix64>

    public init(seed: UInt64) { generator = Mutex(SplitMix64(seed: seed)) }

    public func bytes(_ count: Int) -> [UInt8] {
        generator.withLock { generator in (0..<count).map { _ in UInt8(truncatingIfNeeded: generator.next() >> 32) } }
    }

    func seed() -> UInt64 { generator.withLock { $0.next() } }
    func chance(_ probability: Double) -> Bool { fraction() < probability }
    func number(in range: ClosedRange<Int64>) -> Int64 { generator.withLock { Int64.random(in: range, using: &$0) } }
    func index(_ count: Int) -> Int { Int(number(in: 0...Int64(count - 1))) }
}
