/// Claims of the assertion that a Google service account exchanges for an access token.
public struct ServiceAccountClaims: Codable, Equatable, Sendable {
    /// `client_email` of the service account.
    public var iss: String
    public var scope: String
    /// The token endpoint's own address.
    public var aud: String
    /// Epoch seconds; `exp` is at most an hour later.
    public var iat: Int
    public var exp: Int

    public static let messagingScope = "https://www.googleapis.com/auth/firebase.messaging"

    public init(
        clientEmail: String, scope: String = messagingScope, audience: String, issuedAt: Int, lifetime: Int = 3600
    ) {
        iss = clientEmail
        self.scope = scope
        aud = audience
        iat = issuedAt
        exp = issuedAt + min(lifetime, 3600)
    }
}
