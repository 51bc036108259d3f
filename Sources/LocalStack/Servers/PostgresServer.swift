import Daemon
import FoundationEssentials
import Glibc

/// A private PostgreSQL: own data folder, a free port of the loopback interface, a password of its own.
public struct PostgresServer: Codable, Equatable, Sendable {
    public let port: UInt16
    let password: String
    var process: ProcessIdentity

    /// For the superuser, who owns the migrations.
    public var url: String { url(user: "postgres", password: password, database: "postgres") }

    public func url(user: String, password: String, database: String) -> String {
        "postgres://\(user):\(password)@127.0.0.1:\(port)/\(database)"
    }

    static func start(
        _ installed: InstalledServers, in folder: PrivateFolder, durable: Bool
    ) async throws -> PostgresServer {
        let account = try SystemAccount.forServer("postgres")
        let home = try folder.make("postgres", for: account)
        let password = RandomWord.make()
        try folder.write(password, to: "\(home)/password", for: account)
        let launch = PostgresLaunch(
            programs: installed.postgres, folder: folder, home: home, account: account, durable: durable)
        try await launch.initialise()
        for attempt in 1... {
            let port = try FreePort.pick(1)[0]
            if let process = try await launch.serve(port: port, mayRetry: attempt < 3) {
                return PostgresServer(port: port, password: password, process: process)
            }
        }
        preconditionFailure("the third attempt starts or throws")
    }

    /// Starts it again on the same port and data.
    mutating func startAgain(_ installed: InstalledServers, in folder: PrivateFolder) async throws {
        let launch = PostgresLaunch(
            programs: installed.postgres, folder: folder, home: "\(folder.path)/postgres",
            account: try SystemAccount.forServer("postgres"), durable: false)
        guard let started = try await launch.serve(port: port, mayRetry: false) else {
            throw CommandFailure(.temporary, "PostgreSQL did not start again")
        }
        process = started
    }

    /// Fast shutdown, or an immediate one as after a crash; whatever still runs after 10 s is killed.
    func stop(immediately: Bool = false) async {
        process.signal(immediately ? SIGQUIT : SIGINT)
        if await !process.waitForEnd(within: .seconds(10)) {
            process.signal(SIGKILL, group: true)
            _ = await process.waitForEnd(within: .seconds(5))
        }
        process.collect()
    }
}
