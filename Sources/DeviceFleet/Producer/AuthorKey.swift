import CLinux
public import Cryptography
public import Daemon
import Glibc
import Messages

/// The Ed25519 key that a producer signs jobs with, as a file: `{"keyId":"…","seed":"base64 of 32 bytes"}`. It is the private
/// half; phones pin the public one.
public struct AuthorKey: Sendable {
    public let id: String
    public let key: SigningKey

    /// Reads the file; makes it, readable for its owner alone, if there is none.
    public static func loadOrMake(_ path: String) throws(CommandFailure) -> AuthorKey {
        guard access(path, F_OK) != 0 else { return try load(path) }
        // Written aside and linked, so that of two makers one wins and nobody reads half a key.
        let aside = "\(path).\(getpid())"
        let made = JSONWriter.object {
            $0.member("keyId", "p1")
            $0.member("seed", base64: SigningKey.random().seed)
        }
        let file = open(aside, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        guard file >= 0, write(file, made, made.count) == made.count, close(file) == 0 else {
            throw CommandFailure(.cannotCreate, "cannot write \(aside): \(String(cString: strerror(clinux_errno())))")
        }
        defer { unlink(aside) }
        guard link(aside, path) == 0 || clinux_errno() == EEXIST else {
            throw CommandFailure(.cannotCreate, "cannot make \(path): \(String(cString: strerror(clinux_errno())))")
        }
        return try load(path)
    }

    private static func load(_ path: String) throws(CommandFailure) -> AuthorKey {
        let bytes = try SettingsFile.bytes(path)
        do {
            let reader = try JSONReader(bytes)
            guard let key = SigningKey(seed: try reader.bytes("seed")) else { throw MessageError.malformed("seed") }
            return AuthorKey(id: try reader.string("keyId"), key: key)
        } catch {
            throw CommandFailure(
                .dataError,
                "\(path) is not {\"keyId\":\"…\",\"seed\":\"base64 of 32 bytes\"}: correct it, or remove it to get a new one"
            )
        }
    }
}
