/// What a device signs requests with; the key table names it, never the message (K5).
public enum SigningAlgorithm: String, Hashable, Sendable, CaseIterable {
    case ed25519
    /// Secure Enclave and Android Keystore.
    case ecdsaP256SHA256 = "ecdsa-p256-sha256"
}
