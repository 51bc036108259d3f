import HTTP2
import TokenSigning

/// A folder with everything that a sender needs to talk to the simulator, and the simulator to know the sender: made at
/// the first start, used again at later ones.
public struct ProviderFolder: Sendable {
    public static let teamID = "SIMTEAM001"
    public static let keyID = "SIMKEY0001"

    public let path: String
    /// Name of the app, as in queue names.
    public let app: String
    public var bundleID: String { "com.example.\(app)" }
    public var projectID: String { "simulated-\(app)" }
    var clientEmail: String { "sender@\(projectID).iam.gserviceaccount.com" }

    public var authorityFile: String { "\(path)/ca.pem" }
    public var appsFile: String { "\(path)/apps.json" }
    public var apnsKeyFile: String { "\(path)/apns-key.p8" }
    public var serviceAccountFile: String { "\(path)/service-account.json" }
    private var certificateFile: String { "\(path)/server-certificate.pem" }
    private var serverKeyFile: String { "\(path)/server-key.pem" }
    private var accountKeyFile: String { "\(path)/service-account-key.pem" }

    public init(path: String, app: String = "cheqi") {
        self.path = path
        self.app = app
    }

    /// Makes what is missing and returns what the simulator has to know.
    public func prepare() throws -> SimulatorConfiguration {
        try TextFile.makeFolder(path)
        var configuration = SimulatorConfiguration(identity: try identity())
        let apnsKey = try key(apnsKeyFile, .es256)
        let accountKey = try key(accountKeyFile, .rs256)
        configuration.apnsKeys = [
            APNSKey(
                teamID: Self.teamID, keyID: Self.keyID, publicKey: try apnsKey.publicKey, topics: [bundleID])
        ]
        configuration.fcmProjects = [
            FCMProject(projectID: projectID, clientEmail: clientEmail, publicKey: try accountKey.publicKey)
        ]
        return configuration
    }

    /// Writes the two files that name addresses, once those are known.
    public func complete(_ addresses: SimulatedProviders.Addresses) throws {
        let accountKey = try key(accountKeyFile, .rs256)
        let account: JSONValue = [
            "type": "service_account", "project_id": .string(projectID), "private_key_id": "simulated-key-1",
            "private_key": .string(accountKey.pem), "client_email": .string(clientEmail),
            "client_id": "100000000000000000001", "token_uri": .string(addresses.oauth),
        ]
        try TextFile.write(account.text + "\n", to: serviceAccountFile)
        let apns: JSONValue = [
            "bundleId": .string(bundleID), "teamId": .string(Self.teamID), "keyId": .string(Self.keyID),
            "keyFile": "apns-key.p8", "environments": ["production", "sandbox"],
        ]
        let fcm: JSONValue = ["projectId": .string(projectID), "serviceAccountFile": "service-account.json"]
        let apps: JSONValue = ["apps": [["name": .string(app), "apns": apns, "fcm": fcm]]]
        try TextFile.write(apps.text + "\n", to: appsFile)
    }

    private func identity() throws -> Identity {
        if let certificate = TextFile.read(certificateFile), let key = TextFile.read(serverKeyFile),
            TextFile.read(authorityFile) != nil
        {
            return Identity(certificatePEM: certificate, privateKeyPEM: key)
        }
        let authority = try CertificateAuthority(name: "Simulated providers")
        // `simulator` is its name for the other containers of compose.yaml.
        let identity = try authority.issue(for: ["localhost", "127.0.0.1", "::1", "simulator"])
        try TextFile.write(identity.privateKeyPEM, to: serverKeyFile)
        try TextFile.write(identity.certificatePEM, to: certificateFile)
        try TextFile.write(authority.certificatePEM, to: authorityFile)
        return identity
    }

    private func key(_ file: String, _ algorithm: Algorithm) throws -> PrivateKey {
        if let text = TextFile.read(file) { return try PrivateKey(pem: text) }
        let key = try PrivateKey.generate(algorithm)
        try TextFile.write(key.pem, to: file)
        return key
    }
}
