import Cryptography
public import Daemon
import FoundationEssentials
import Glibc
import Postgres
import Topology

/// What has to be there before the services of a stack can start: made by the same commands that a deployment uses.
public struct StackSetup: Sendable {
    let site: StackSite

    public init(_ site: StackSite) { self.site = site }

    public var tokenKeysFile: String { "\(site.folder)/token-keys.json" }
    /// What the lab shows to the producer API; the gateway knows only its digest.
    public var producerTokenFile: String { "\(site.folder)/producer-token" }
    var producerCredentialsFile: String { "\(site.folder)/producers.json" }
    /// Private half of the key with which jobs are signed; `commit` makes it.
    public var producerKeyFile: String { "\(site.folder)/producer-key.json" }
    private static let scopes = #"["enrol","devices","commit","status","cancel","revoke"]"#

    /// Makes the site's folder and the keys in it.
    public func makeFolder() throws(CommandFailure) {
        guard mkdir(site.folder, 0o700) == 0 else {
            throw CommandFailure(.cannotCreate, "cannot make \(site.folder): \(String(cString: strerror(errno)))")
        }
        try site.servers.folder.write(TokenKeys.random(), to: tokenKeysFile)
        let token = RandomWord.make()
        let digest = Digest.sha256(Array(token.utf8)).map { byte in
            (byte < 16 ? "0" : "") + String(byte, radix: 16)
        }
        try site.servers.folder.write(
            #"{"credentials":[{"name":"lab","sha256":"\#(digest.joined())","scopes":\#(Self.scopes)}]}"#,
            to: producerCredentialsFile)
        try site.servers.folder.write(token, to: producerTokenFile)
    }

    /// Makes the database and runs `mobile-delivery migrate`.
    public func migrate() async throws {
        do {
            let administrator = try await Connection.open(ConnectionSettings(url: site.servers.postgres.url))
            try await administrator.execute("CREATE DATABASE \(unescaped: site.database)")
            await administrator.close()
        } catch {
            throw CommandFailure(.systemFile, "the stack's database cannot be made: \(error)")
        }
        var environment = ["DATABASE_URL": site.databaseURL]
        for setting in RolePasswords.settings.values { environment[setting] = site.servers.servicePassword }
        try await run(["migrate"], environment)
    }

    /// `mobile-delivery topology apply`, after the migrations.
    public func applyTopology(appsFile: String) async throws {
        var environment = [
            "DATABASE_URL": site.databaseURL,
            "MOBILE_DELIVERY_MANAGEMENT_URL": site.servers.rabbitmq.managementURL,
            "MOBILE_DELIVERY_VIRTUAL_HOST": site.virtualHost,
            "MOBILE_DELIVERY_APPS_FILE": appsFile,
        ]
        for user in try TopologyFiles(directory: site.programs.topology).users() {
            environment[BrokerSetup.passwordSetting(of: user.name)] = site.servers.servicePassword
        }
        try await run(["topology", "apply"], environment)
    }

    func startSimulator() throws(CommandFailure) -> StackProcess {
        let folder = "\(site.folder)/providers"
        guard mkdir(folder, 0o700) == 0 else {
            throw CommandFailure(.cannotCreate, "cannot make \(folder): \(String(cString: strerror(errno)))")
        }
        return try StackProcess(
            "providers",
            ProcessCommand(
                site.programs.lab, ["simulate", "providers", "--directory", folder],
                environment: site.commonEnvironment),
            logPath: "\(site.folder)/providers.log")
    }

    /// Runs one command of `mobile-delivery` to its end.
    private func run(_ arguments: [String], _ environment: [String: String]) async throws {
        let name = arguments.joined(separator: "-")
        let child = try ChildProcess(
            name,
            ProcessCommand(
                site.programs.mobileDelivery, arguments,
                environment: site.commonEnvironment
                    .merging(["MOBILE_DELIVERY_TOPOLOGY_DIRECTORY": site.programs.topology]) { _, new in new }
                    .merging(environment) { _, own in own }),
            logPath: "\(site.folder)/\(name).log")
        guard await child.end(after: .seconds(120)) == .exited(0) else {
            throw CommandFailure(.systemFile, "\(arguments.joined(separator: " ")) failed: \(child.lastLine)")
        }
    }
}
