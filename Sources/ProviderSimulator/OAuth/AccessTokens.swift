import HTTP2
import TokenSigning

/// The token endpoint: exchanges a service account's assertion for an access token, and later says what that is good for.
struct AccessTokens: Sendable {
    struct Grant: Sendable, Equatable {
        var projectID: String
        /// Epoch seconds.
        var expiresAt: Int64
    }

    static let grantType = "urn:ietf:params:oauth:grant-type:jwt-bearer"
    static let scopes: Set<String> = [
        "https://www.googleapis.com/auth/firebase.messaging", "https://www.googleapis.com/auth/cloud-platform",
    ]
    /// Google's client libraries name it in `aud` whatever address they talk to.
    static let googleAudience = "https://oauth2.googleapis.com/token"

    /// Every word of a refusal.
    static let errors: Set<String> = [
        "invalid_grant", "invalid_client", "unauthorized_client", "invalid_scope", "unsupported_grant_type",
        "invalid_request", "server_error", "temporarily_unavailable",
    ]

    private let projects: [FCMProject]
    private let lifetime: Int64
    private(set) var grants: [String: Grant] = [:]

    init(projects: [FCMProject], lifetimeSeconds: Int64) {
        self.projects = projects
        lifetime = lifetimeSeconds
    }

    func grant(_ token: String) -> Grant? { grants[token] }

    /// `random` gives the token's random part.
    mutating func exchange(_ request: ProviderRequest, audience: String, now: Int64, random: () -> String)
        -> ProviderAnswer
    {
        guard request.path.prefix(while: { $0 != "?" }) == "/token" else { return .html(404) }
        guard request.method == "POST" else { return .html(405) }
        let form = FormFields.decode(request.body)
        guard form["grant_type"] == Self.grantType else {
            return Self.refusal("unsupported_grant_type", "Invalid grant_type: \(form["grant_type"] ?? "")")
        }
        guard let assertion = form["assertion"], let claims = unverifiedClaims(assertion) else {
            return Self.refusal("invalid_grant", "Bad Request")
        }
        guard let project = projects.first(where: { $0.clientEmail == claims["iss"]?.string }) else {
            return Self.refusal("invalid_grant", "Invalid grant: account not found")
        }
        guard (try? JSONWebToken.verified(assertion, with: project.publicKey)) != nil else {
            return Self.refusal("invalid_grant", "Invalid JWT Signature.")
        }
        let audiences = [audience, Self.googleAudience]
        guard let aud = claims["aud"]?.string, audiences.contains(aud) else {
            return Self.refusal("invalid_grant", "Failed audience check.")
        }
        guard let issued = claims["iat"]?.integer, let expires = claims["exp"]?.integer, expires - issued <= 3600,
            expires > now, issued <= now + 300
        else {
            return Self.refusal(
                "invalid_grant",
                "Invalid JWT: Token must be a short-lived token (60 minutes) and in a reasonable timeframe. Check your "
                    + "iat and exp values in the JWT claim.")
        }
        let asked = (claims["scope"]?.string ?? "").split(separator: " ").map(String.init)
        guard asked.contains(where: Self.scopes.contains) else {
            return Self.refusal(
                "invalid_scope", "Invalid OAuth scope or ID token audience provided.")
        }
        let token = "ya29." + random()
        if grants.count > 10_000 { grants = grants.filter { $0.value.expiresAt > now } }
        grants[token] = Grant(projectID: project.projectID, expiresAt: now + lifetime)
        let body: JSONValue = [
            "access_token": .string(token), "expires_in": .integer(lifetime - 1), "token_type": "Bearer",
        ]
        return ProviderAnswer(status: 200, headers: Self.headers, body: body.bytes)
    }

    /// Access tokens given out so far are worth nothing from now on.
    mutating func revokeAll() { grants.removeAll() }

    static func refusal(_ error: String, _ description: String, status: Int? = nil) -> ProviderAnswer {
        let body: JSONValue = ["error": .string(error), "error_description": .string(description)]
        let usual =
            switch error {
            case "invalid_client", "unauthorized_client": 401
            case "server_error": 500
            case "temporarily_unavailable": 503
            default: 400
            }
        return ProviderAnswer(status: status ?? usual, headers: headers, body: body.bytes, reason: error)
    }

    private static var headers: Headers { ["content-type": "application/json; charset=utf-8"] }

    private func unverifiedClaims(_ assertion: String) -> JSONValue? {
        let parts = assertion.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, let claims = Base64URL.decoded(parts[1]) else { return nil }
        return JSONValue(parsing: claims)
    }
}
