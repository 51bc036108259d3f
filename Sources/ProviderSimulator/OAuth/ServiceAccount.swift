public import TokenSigning

/// A Firebase project with the service account that may send for it.
public struct FCMProject: Sendable {
    public var projectID: String
    public var clientEmail: String
    public var publicKey: PublicKey

    public init(projectID: String, clientEmail: String, publicKey: PublicKey) {
        self.projectID = projectID
        self.clientEmail = clientEmail
        self.publicKey = publicKey
    }
}
