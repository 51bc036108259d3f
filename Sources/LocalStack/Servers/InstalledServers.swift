import Daemon
import FoundationEssentials
import Glibc

/// Where Debian puts the programs of the two servers.
struct InstalledServers: Equatable, Sendable {
    /// Folder with `initdb` and `postgres`, which Debian keeps off the search path.
    let postgres: String
    /// Folder with the broker's own scripts: those on the search path insist on root and on the machine's folders.
    let rabbitmq: String
    let portMapper: String

    static func find() throws(CommandFailure) -> InstalledServers {
        InstalledServers(
            postgres: try postgresFolder(),
            rabbitmq: try existing("/usr/lib/rabbitmq/bin", program: "rabbitmq-server", package: "rabbitmq-server"),
            portMapper: try existing("/usr/bin", program: "epmd", package: "erlang-base") + "/epmd")
    }

    /// The newest version that is installed.
    private static func postgresFolder() throws(CommandFailure) -> String {
        let versions = (try? FileManager.default.contentsOfDirectory(atPath: "/usr/lib/postgresql")) ?? []
        let newest = versions.compactMap { Int($0) }.max().map(String.init) ?? "?"
        return try existing("/usr/lib/postgresql/\(newest)/bin", program: "postgres", package: "postgresql")
    }

    private static func existing(
        _ folder: String, program: String, package: String
    ) throws(CommandFailure) -> String {
        guard access("\(folder)/\(program)", X_OK) == 0 else {
            throw CommandFailure(
                .systemFile, "no \(program) in \(folder): install the Debian package \(package) (scripts/test does)")
        }
        return folder
    }
}
