import Daemon
import Messages
import TokenSigning

/// A Google service account, from the JSON file that the console hands out.
struct ServiceAccount: Sendable {
    let clientEmail: String
    let key: PrivateKey
    let keyID: String?
    /// Where assertions are exchanged, and their audience.
    let tokenURI: String
    private let json: [UInt8]

    /// Throws one line that names the file, never its content.
    init(file: String) throws(CommandFailure) {
        try self.init(json: try SettingsFile.bytes(file), file: file)
    }

    init(json: [UInt8], file: String) throws(CommandFailure) {
        func bad(_ what: String) -> CommandFailure {
            CommandFailure(.configuration, "\(file): \(what): take the file of the service account from the console")
        }
        self.json = json
        guard let value = try? JSONValue(parsing: json) else { throw bad("not JSON") }
        guard let email = value["client_email"]?.string, let pem = value["private_key"]?.string else {
            throw bad("client_email or private_key is missing")
        }
        do throws(TokenSigningError) {
            key = try PrivateKey(pem: pem)
        } catch {
            throw bad("private_key: \(error)")
        }
        guard key.algorithm == .rs256 else { throw bad("private_key is not an RSA key") }
        clientEmail = email
        keyID = value["private_key_id"]?.string
        tokenURI = value["token_uri"]?.string ?? "https://oauth2.googleapis.com/token"
    }

    /// Whether both come from files of the same content.
    func isSame(as other: ServiceAccount) -> Bool { json == other.json }
}
