/// The two signatures in use, by their names in JSON Web Tokens.
public enum Algorithm: String, Sendable, CaseIterable {
    /// ECDSA over P-256 with SHA-256; signatures are r‖s, 64 bytes.
    case es256 = "ES256"
    /// RSASSA-PKCS1-v1_5 with SHA-256.
    case rs256 = "RS256"
}
