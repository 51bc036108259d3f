import FoundationEssentials

/// Compact JSON Web Tokens (RFC 7515) whose claims are encoded from a struct, keys sorted.
public enum JSONWebToken {
    /// `alg` comes from the key, never from the caller.
    struct Header: Codable, Equatable {
        var alg: String
        var kid: String?
        var typ: String?
    }

    /// What was signed, once the signature has been found valid.
    public struct Verified: Sendable, Equatable {
        public var keyID: String?
        /// JSON text of the claims.
        public var claims: [UInt8]

        public func decoded<Claims: Decodable>(as type: Claims.Type = Claims.self) throws -> Claims {
            try JSONDecoder().decode(type, from: Data(claims))
        }
    }

    /// `type` is the `typ` header: Google wants "JWT", Apple none.
    public static func signed(
        _ claims: some Encodable, keyID: String?, type: String? = nil, with key: PrivateKey
    ) throws(TokenSigningError) -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        let header = Header(alg: key.algorithm.rawValue, kid: keyID, typ: type)
        let parts: [Data]
        do {
            parts = [try encoder.encode(header), try encoder.encode(claims)]
        } catch {
            throw TokenSigningError("the claims have no JSON form")
        }
        let text = parts.map { Base64URL.encoded($0) }.joined(separator: ".")
        return "\(text).\(Base64URL.encoded(try key.sign(Array(text.utf8))))"
    }

    /// Checks form, `alg` against the key, and the signature; what the claims say is the caller's to judge.
    public static func verified(_ token: String, with key: PublicKey) throws(TokenSigningError) -> Verified {
        let parts = token.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, let claims = Base64URL.decoded(parts[1]),
            let signature = Base64URL.decoded(parts[2]), let header = header(of: token)
        else { throw TokenSigningError("not a JSON Web Token") }
        guard header.alg == key.algorithm.rawValue else {
            throw TokenSigningError("signed with \(header.alg), the key is for \(key.algorithm.rawValue)")
        }
        guard key.isValid(signature, for: Array("\(parts[0]).\(parts[1])".utf8)) else {
            throw TokenSigningError("the signature does not match")
        }
        return Verified(keyID: header.kid, claims: claims)
    }

    /// The key that a token says it was signed with: for choosing the key, before anything is verified.
    public static func unverifiedKeyID(of token: String) -> String? { header(of: token)?.kid }

    private static func header(of token: String) -> Header? {
        guard let bytes = Base64URL.decoded(token.prefix { $0 != "." }) else { return nil }
        return try? JSONDecoder().decode(Header.self, from: Data(bytes))
    }
}
