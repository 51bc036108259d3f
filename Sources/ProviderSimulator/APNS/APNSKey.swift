public import TokenSigning

/// A provider token key that the simulated APNs knows.
public struct APNSKey: Sendable {
    public var teamID: String
    public var keyID: String
    public var publicKey: PublicKey
    /// Bundle ids that it may push to; nil for all of the team.
    public var topics: [String]?
    public var environments: [String]

    public init(
        teamID: String, keyID: String, publicKey: PublicKey, topics: [String]? = nil,
        environments: [String] = ["production", "sandbox"]
    ) {
        self.teamID = teamID
        self.keyID = keyID
        self.publicKey = publicKey
        self.topics = topics
        self.environments = environments
    }
}
