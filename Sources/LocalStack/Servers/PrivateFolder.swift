public import Daemon
import FoundationEssentials
import Glibc

/// The one folder that everything of a stack is written to: data, sockets, logs, keys.
public struct PrivateFolder: Codable, Hashable, Sendable {
    public let path: String

    static let prefix = "mobile-delivery-"

    /// Makes one under `temporary`, or under `/tmp` where a server's account could not reach it or a socket's path in it
    /// would be too long.
    init(under temporary: String) throws(CommandFailure) {
        let fits = temporary.utf8.count <= 60 && (geteuid() != 0 || Self.isTraversable(temporary))
        var template = Array("\(fits ? temporary : "/tmp")/\(Self.prefix)XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else {
            throw CommandFailure(
                .cannotCreate, "cannot make a folder under \(temporary): \(String(cString: strerror(errno)))")
        }
        path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        // Servers' accounts pass through; nobody lists.
        if geteuid() == 0 { chmod(path, 0o711) }
    }

    /// One for as long as `body` runs, for programs that need no servers.
    public static func with<Result>(
        under temporary: String, _ interrupts: Interrupts, _ body: (PrivateFolder) async throws -> Result
    ) async throws -> Result {
        let folder = try PrivateFolder(under: temporary)
        defer { folder.remove() }
        interrupts.guarding(folder)
        return try await body(folder)
    }

    /// Makes `name` in it, for `account` alone.
    func make(_ name: String, for account: SystemAccount = .current) throws(CommandFailure) -> String {
        let path = "\(path)/\(name)"
        guard mkdir(path, 0o700) == 0 else {
            throw CommandFailure(.cannotCreate, "cannot make \(path): \(String(cString: strerror(errno)))")
        }
        try account.own(path)
        return path
    }

    /// Writes a file that `account` alone can read.
    public func write(_ text: String, to path: String) throws(CommandFailure) {
        try write(text, to: path, for: .current)
    }

    func write(_ text: String, to path: String, for account: SystemAccount) throws(CommandFailure) {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            throw CommandFailure(.cannotCreate, "cannot write \(path): \(String(cString: strerror(errno)))")
        }
        defer { close(descriptor) }
        let bytes = Array(text.utf8)
        guard Glibc.write(descriptor, bytes, bytes.count) == bytes.count else {
            throw CommandFailure(.ioError, "cannot write \(path): \(String(cString: strerror(errno)))")
        }
        try account.own(path)
    }

    func remove() {
        try? FileManager.default.removeItem(atPath: path)
    }

    /// Whether every account can pass through `path` and all above it.
    private static func isTraversable(_ path: String) -> Bool {
        var current = ""
        for part in path.split(separator: "/") {
            current += "/\(part)"
            var status = stat()
            guard stat(current, &status) == 0, status.st_mode & 0o001 != 0 else { return false }
        }
        return true
    }
}
