import Testing
import TokenSigning

struct JSONWebTokenTests {
    private static func text(_ part: Substring) -> String {
        String(decoding: Base64URL.decoded(part) ?? [], as: UTF8.self)
    }

    @Test func `an APNs provider token has exactly the documented fields and iat is a number`() throws {
        let key = try PrivateKey.generate(.es256)
        let token = try JSONWebToken.signed(
            ProviderTokenClaims(teamID: "DEF123GHIJ", issuedAt: 1_437_179_036), keyID: "ABC123DEFG", with: key)
        let parts = token.split(separator: ".")
        try #require(parts.count == 3)
        #expect(Self.text(parts[0]) == #"{"alg":"ES256","kid":"ABC123DEFG"}"#)
        #expect(Self.text(parts[1]) == #"{"iat":1437179036,"iss":"DEF123GHIJ"}"#)
        let verified = try JSONWebToken.verified(token, with: key.publicKey)
        #expect(verified.keyID == "ABC123DEFG")
        #expect(try verified.decoded() == ProviderTokenClaims(teamID: "DEF123GHIJ", issuedAt: 1_437_179_036))
    }

    @Test func `a service account's assertion has exactly the documented fields`() throws {
        let key = try PrivateKey.generate(.rs256)
        let claims = ServiceAccountClaims(clientEmail: "a@b", audience: "https://oauth2.example/token", issuedAt: 100)
        let token = try JSONWebToken.signed(claims, keyID: "k1", type: "JWT", with: key)
        let parts = token.split(separator: ".")
        try #require(parts.count == 3)
        #expect(Self.text(parts[0]) == #"{"alg":"RS256","kid":"k1","typ":"JWT"}"#)
        #expect(
            Self.text(parts[1])
                == #"{"aud":"https://oauth2.example/token","exp":3700,"iat":100,"iss":"a@b","scope":"https://www.googleapis.com/auth/firebase.messaging"}"#
        )
        #expect(try JSONWebToken.verified(token, with: key.publicKey).decoded() == claims)
    }

    @Test func `a token of another key, another algorithm or with changed claims is refused`() throws {
        let key = try PrivateKey.generate(.es256)
        let token = try JSONWebToken.signed(ProviderTokenClaims(teamID: "T", issuedAt: 1), keyID: "K", with: key)
        let parts = token.split(separator: ".")
        try #require(parts.count == 3)
        let forged = "\(parts[0]).\(Base64URL.encoded(Array(#"{"iat":2,"iss":"T"}"#.utf8))).\(parts[2])"
        let unsigned = "\(Base64URL.encoded(Array(#"{"alg":"none"}"#.utf8))).\(parts[1])."
        for wrong in [forged, unsigned, "a.b", "", String(token.dropLast())] {
            #expect(throws: TokenSigningError.self) { try JSONWebToken.verified(wrong, with: key.publicKey) }
        }
        let other = try PrivateKey.generate(.es256).publicKey
        #expect(throws: TokenSigningError.self) { try JSONWebToken.verified(token, with: other) }
        let rsa = try PrivateKey.generate(.rs256).publicKey
        #expect(throws: TokenSigningError.self) { try JSONWebToken.verified(token, with: rsa) }
    }

    @Test func `the key id can be read before verifying`() throws {
        let key = try PrivateKey.generate(.es256)
        let token = try JSONWebToken.signed(ProviderTokenClaims(teamID: "T", issuedAt: 1), keyID: "K", with: key)
        #expect(JSONWebToken.unverifiedKeyID(of: token) == "K")
        #expect(JSONWebToken.unverifiedKeyID(of: "nonsense") == nil)
    }
}
