import Delivery
import Synchronization

/// Job ids that come in the same order again from the same seed. They name canaries, so nobody has to be unable to guess them.
/// The first byte grows: an order that somebody relies on shows when a later canary breaks it.
public final class SeededIdentifiers: Sendable {
    private let state: Mutex<(word: UInt64, count: UInt8)>

    public init(seed: UInt64) { state = Mutex((seed, 0x10)) }

    func next() -> Identifier {
        let (words, count) = state.withLock { state in
            state.count = min(state.count + 1, 0x7F)
            return ([Self.word(&state.word), Self.word(&state.word)], state.count)
        }
        var bytes = words.flatMap { word in (0..<8).map { UInt8(truncatingIfNeeded: word >> UInt64($0 * 8)) } }
        bytes[0] = count
        return Identifier(versioned: bytes, 4)
    }

    /// SplitMix64.
    private static func word(_ state: inout UInt64) -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var word = state
        word = (word ^ (word >> 30)) &* 0xBF58_476D_1CE4_E5B9
        word = (word ^ (word >> 27)) &* 0x94D0_49BB_1331_11EB
        return word ^ (word >> 31)
    }
}
