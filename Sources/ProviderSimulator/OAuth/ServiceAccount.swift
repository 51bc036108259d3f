public import TokenSigning

/// A Firebase project with the service account that may send for it.
public struct FCMProject: Sendable {
    public var projectID: String
    public var clientEmail: String
    public var publicKey: PublicKey
    /// False: the Firebase Cloud Messaging API is switched off there (`SERVICE_DISABLED`).
    public var isEnabled = true
    /// Instead of what the quotas say for all projects.
    public var messagesPerMinute: Int?
    /// False: it has no APNs key and no web push certificate, so `ios` and `web` phones can't be reached
    /// (`THIRD_PARTY_AUTH_ERROR`).
    public var reachesOtherPlatforms = true

    public init(projectID: String, clientEmail: String, publicKey: PublicKey) {
        self.projectID = projectID
        self.clientEmail = clientEmail
        self.publicKey = publicKey
    }
}
