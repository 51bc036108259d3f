import Cryptography
public import Delivery

/// Where ids and jitter come from; keys come from libsodium.
public protocol RandomSource: Sendable {
    func bytes(_ count: Int) -> [UInt8]
}

/// The operating system's generator.
public struct SystemRandomSource: RandomSource {
    public init() {}
    public func bytes(_ count: Int) -> [UInt8] { RandomBytes.make(count) }
}

extension RandomSource {
    /// A version 4 UUID.
    public func identifier() -> Identifier { Identifier(versioned: bytes(16), 4) }

    /// Evenly from 0 up to 1.
    public func fraction() -> Double {
        let word = bytes(4).reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
        return Double(word) / 4_294_967_296
    }
}
