import CSodium

/// Digests of whole byte strings.
public enum Digest {
    public static func sha256(_ bytes: [UInt8]) -> [UInt8] {
        var digest = [UInt8](repeating: 0, count: 32)
        crypto_hash_sha256(&digest, bytes, UInt64(bytes.count))
        return digest
    }

    /// BLAKE2b-256.
    public static func blake2b(_ bytes: [UInt8]) -> [UInt8] {
        Sodium.prepare()
        var digest = [UInt8](repeating: 0, count: 32)
        crypto_generichash_blake2b(&digest, 32, bytes, UInt64(bytes.count), nil, 0)
        return digest
    }

    /// BLAKE2b-256 under a key of 16 to 64 bytes (or none), for one purpose only: the personalisation has at most 16 bytes.
    public static func blake2b(_ bytes: [UInt8], key: [UInt8], personalisation: String) -> [UInt8] {
        Sodium.prepare()
        let purpose = Array(personalisation.utf8)
        precondition(purpose.count <= 16 && (key.isEmpty || (16...64).contains(key.count)))
        let salt = [UInt8](repeating: 0, count: 16)
        let personal = purpose + [UInt8](repeating: 0, count: 16 - purpose.count)
        var digest = [UInt8](repeating: 0, count: 32)
        crypto_generichash_blake2b_salt_personal(
            &digest, 32, bytes, UInt64(bytes.count), key, key.count, salt, personal)
        return digest
    }

    /// HMAC-SHA-256 under a key of 32 bytes.
    public static func hmac(_ bytes: [UInt8], key: [UInt8]) -> [UInt8] {
        precondition(key.count == 32)
        var tag = [UInt8](repeating: 0, count: 32)
        crypto_auth_hmacsha256(&tag, bytes, UInt64(bytes.count), key)
        return tag
    }
}
