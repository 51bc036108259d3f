import CSodium

/// XChaCha20-Poly1305 with a random nonce in front of the ciphertext. It does not commit to its key: see `ContentKey`.
public enum SecretBox {
    /// Bytes that sealing adds: the nonce and the tag.
    public static let overhead = 24 + 16

    public static func seal(_ message: [UInt8], associated: [UInt8], key: [UInt8]) -> [UInt8] {
        seal(message, associated: associated, key: key, nonce: RandomBytes.make(24))
    }

    static func seal(_ message: [UInt8], associated: [UInt8], key: [UInt8], nonce: [UInt8]) -> [UInt8] {
        precondition(key.count == 32 && nonce.count == 24)
        var ciphertext = [UInt8](repeating: 0, count: message.count + 16)
        var length: UInt64 = 0
        crypto_aead_xchacha20poly1305_ietf_encrypt(
            &ciphertext, &length, message, UInt64(message.count), associated, UInt64(associated.count), nil, nonce, key)
        return nonce + ciphertext
    }

    /// `nil` unless the bytes were sealed with this key and these associated data.
    public static func open(_ sealed: [UInt8], associated: [UInt8], key: [UInt8]) -> [UInt8]? {
        guard sealed.count >= overhead, key.count == 32 else { return nil }
        Sodium.prepare()
        let nonce = Array(sealed.prefix(24))
        let ciphertext = Array(sealed.dropFirst(24))
        // One byte more than needed: an empty array has no address to hand over.
        var message = [UInt8](repeating: 0, count: ciphertext.count - 16 + 1)
        var length: UInt64 = 0
        guard
            crypto_aead_xchacha20poly1305_ietf_decrypt(
                &message, &length, nil, ciphertext, UInt64(ciphertext.count), associated, UInt64(associated.count),
                nonce, key) == 0
        else { return nil }
        return Array(message.prefix(Int(length)))
    }
}
