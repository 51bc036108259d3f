import Cryptography
public import Daemon
import Delivery
import Messages

/// Who may use the producer API: `{"credentials":[{"name":"shop","sha256":"…","scopes":["commit",…]}]}`. The file holds
/// digests (of what `printf %s TOKEN | sha256sum` prints), never a token.
public struct ProducerCredentials: Sendable {
    struct Credential: Equatable, Sendable {
        var name: String
        var digest: [UInt8]
        var scopes: Set<Scope>
    }

    let credentials: [Credential]

    /// Nobody.
    public init() { credentials = [] }

    public init(file path: String) throws(CommandFailure) {
        let bytes = try SettingsFile.bytes(path)
        do throws(MessageError) {
            credentials = try Self.read(bytes)
        } catch {
            throw CommandFailure(.dataError, "\(path): \(error)")
        }
    }

    init(json: [UInt8]) throws(MessageError) { credentials = try Self.read(json) }

    private static func read(_ bytes: [UInt8]) throws(MessageError) -> [Credential] {
        var credentials: [Credential] = []
        for element in try JSONReader(bytes).array("credentials") {
            let reader = try JSONReader(element)
            let name = try reader.string("name")
            guard let digest = Hex.decode(try reader.string("sha256")), digest.count == 32 else {
                throw .malformed("sha256 of \(name) is not 64 hexadecimal digits")
            }
            var scopes: Set<Scope> = []
            for text in try reader.strings("scopes") {
                guard let scope = Scope(rawValue: text) else {
                    let known = Scope.allCases.map(\.rawValue).joined(separator: ", ")
                    throw .malformed("\(name) has the unknown scope \"\(text)\"; known are \(known)")
                }
                scopes.insert(scope)
            }
            credentials.append(Credential(name: name, digest: digest, scopes: scopes))
        }
        return credentials
    }

    /// The name behind `Authorization: Bearer …`, if it may do this.
    func authorize(_ header: String?, for scope: Scope) throws(Problem) -> String {
        guard let header, header.prefix(7).lowercased() == "bearer " else { throw Problem(.unauthorized) }
        let digest = Digest.sha256(Array(header.dropFirst(7).utf8))
        var found: Credential?
        for credential in credentials where ConstantTime.areEqual(credential.digest, digest) { found = credential }
        guard let found else { throw Problem(.unauthorized) }
        guard found.scopes.contains(scope) else { throw Problem(.forbidden, "it lacks \"\(scope.rawValue)\"") }
        return found.name
    }
}
