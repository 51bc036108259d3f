import CSodium

/// BLAKE2b-256 of bytes that come one piece after the other.
public final class StreamingDigest {
    /// libsodium wants it aligned to a cache line, and shows no type of it.
    private let state = UnsafeMutableRawPointer.allocate(byteCount: StreamingDigest.size, alignment: 64)
    private static let size = crypto_generichash_blake2b_statebytes()

    public init() {
        Sodium.prepare()
        crypto_generichash_blake2b_init(OpaquePointer(state), nil, 0, 32)
    }

    deinit { state.deallocate() }

    public func update(_ bytes: [UInt8]) {
        crypto_generichash_blake2b_update(OpaquePointer(state), bytes, UInt64(bytes.count))
    }

    /// Of everything so far; more may follow.
    public func digest() -> [UInt8] {
        let copy = UnsafeMutableRawPointer.allocate(byteCount: Self.size, alignment: 64)
        defer { copy.deallocate() }
        copy.copyMemory(from: state, byteCount: Self.size)
        var digest = [UInt8](repeating: 0, count: 32)
        crypto_generichash_blake2b_final(OpaquePointer(copy), &digest, 32)
        return digest
    }
}
