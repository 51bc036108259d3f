import CSodium

/// Keys derived from one key for one purpose each (`crypto_kdf`).
public enum Subkey {
    /// 32 bytes from a key of 32 bytes; the context has exactly eight characters.
    public static func derive(_ number: UInt64, context: String, from key: [UInt8]) -> [UInt8] {
        precondition(key.count == 32 && context.utf8.count == 8)
        Sodium.prepare()
        var subkey = [UInt8](repeating: 0, count: 32)
        let derived = context.withCString { crypto_kdf_derive_from_key(&subkey, 32, number, $0, key) }
        precondition(derived == 0)
        return subkey
    }
}
