/// Claims of an APNs provider token: no more than Apple documents.
public struct ProviderTokenClaims: Codable, Equatable, Sendable {
    /// Team id.
    public var iss: String
    /// Issue time in epoch seconds, a JSON number.
    public var iat: Int

    public init(teamID: String, issuedAt: Int) {
        iss = teamID
        iat = issuedAt
    }
}
