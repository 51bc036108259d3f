import CSodium

/// Verifies Ed25519 signatures.
public enum Ed25519 {
    /// False also for a key or signature of the wrong length.
    public static func isValid(_ signature: [UInt8], of message: [UInt8], publicKey: [UInt8]) -> Bool {
        guard signature.count == 64, publicKey.count == 32 else { return false }
        Sodium.prepare()
        return crypto_sign_verify_detached(signature, message, UInt64(message.count), publicKey) == 0
    }
}

/// An Ed25519 key pair that signs: a producer's author key or a device's request key.
public struct SigningKey: Sendable {
    /// 32 bytes; what is stored.
    public let seed: [UInt8]
    public let publicKey: [UInt8]
    private let secretKey: [UInt8]

    /// `nil` unless the seed has 32 bytes.
    public init?(seed: [UInt8]) {
        guard seed.count == 32 else { return nil }
        Sodium.prepare()
        var publicKey = [UInt8](repeating: 0, count: 32)
        var secretKey = [UInt8](repeating: 0, count: 64)
        crypto_sign_seed_keypair(&publicKey, &secretKey, seed)
        self.seed = seed
        self.publicKey = publicKey
        self.secretKey = secretKey
    }

    public static func random() -> SigningKey { SigningKey(seed: RandomBytes.make(32))! }

    public func sign(_ message: [UInt8]) -> [UInt8] {
        var signature = [UInt8](repeating: 0, count: 64)
        crypto_sign_detached(&signature, nil, message, UInt64(message.count), secretKey)
        return signature
    }
}
