import Daemon
import FoundationEssentials
import Glibc

/// A private RabbitMQ with its management plugin: own folders, free ports of the loopback interface, a port mapper and
/// an administrator of its own.
public struct RabbitMQServer: Codable, Equatable, Sendable {
    /// Every port that the broker and its port mapper listen on.
    struct Ports: Codable, Equatable, Sendable {
        let amqp: UInt16
        let management: UInt16
        let distribution: UInt16
        let portMapper: UInt16

        static func pick() throws(CommandFailure) -> Ports {
            let free = try FreePort.pick(4)
            return Ports(amqp: free[0], management: free[1], distribution: free[2], portMapper: free[3])
        }
    }

    /// Folder with its files.
    let home: String
    let ports: Ports
    let password: String
    /// The shell script that Debian's package starts the broker with; it leads the process group.
    let script: ProcessIdentity
    /// The broker itself.
    let process: ProcessIdentity

    public static let administrator = "administrator"

    public func amqpURL(user: String, password: String, virtualHost: String) -> String {
        "amqp://\(user):\(password)@127.0.0.1:\(ports.amqp)/\(virtualHost)"
    }

    /// For the administrator, on the default virtual host.
    public var amqpURL: String { amqpURL(user: Self.administrator, password: password, virtualHost: "") }

    public var managementURL: String {
        "http://\(Self.administrator):\(password)@127.0.0.1:\(ports.management)"
    }

    static func start(_ installed: InstalledServers, in folder: PrivateFolder) async throws -> RabbitMQServer {
        let account = try SystemAccount.forServer("rabbitmq")
        for attempt in 1... {
            let launch = RabbitMQLaunch(
                installed: installed, folder: folder, home: try folder.make("rabbitmq-\(attempt)", for: account),
                account: account, ports: try Ports.pick(), password: RandomWord.make())
            if let server = try await launch.serve(mayRetry: attempt < 3) { return server }
        }
        preconditionFailure("the third attempt starts or throws")
    }

    /// kill -9, then an empty broker on the same ports with the same administrator: everything that it held is gone.
    func restartedEmpty(_ installed: InstalledServers, folder: PrivateFolder) async throws -> RabbitMQServer {
        process.signal(SIGKILL)
        _ = await process.waitForEnd(within: .seconds(5))
        script.signal(SIGKILL, group: true)
        _ = await script.waitForEnd(within: .seconds(5))
        script.collect()
        for name in ["mnesia", "pid"] { try? FileManager.default.removeItem(atPath: "\(home)/\(name)") }
        return try await startedAgain(installed, folder: folder)
    }

    /// On the same ports, with what the folder holds.
    func startedAgain(_ installed: InstalledServers, folder: PrivateFolder) async throws -> RabbitMQServer {
        guard let server = try await launch(installed, folder).serve(mayRetry: false) else {
            throw CommandFailure(.temporary, "the broker did not start again")
        }
        return server
    }

    func control(_ arguments: [String], _ installed: InstalledServers, folder: PrivateFolder) async throws {
        let control = try await launch(installed, folder).control(arguments, within: .seconds(60))
        guard control.hasSucceeded else {
            throw CommandFailure(.temporary, "rabbitmqctl \(arguments.joined(separator: " ")): \(control.said)")
        }
    }

    private func launch(_ installed: InstalledServers, _ folder: PrivateFolder) throws(CommandFailure) -> RabbitMQLaunch
    {
        RabbitMQLaunch(
            installed: installed, folder: folder, home: home, account: try SystemAccount.forServer("rabbitmq"),
            ports: ports, password: password)
    }

    /// Lets the broker stop by itself for 10 s, then kills it; its port mapper stays.
    func halt() async {
        process.signal(SIGTERM)
        if await !process.waitForEnd(within: .seconds(10)) { process.signal(SIGKILL) }
        if await !script.waitForEnd(within: .seconds(3)) { script.signal(SIGKILL, group: true) }
        _ = await script.waitForEnd(within: .seconds(3))
        script.collect()
    }

    /// Stops the broker, and its port mapper last, which refuses to go before.
    func stop(_ installed: InstalledServers, folder: PrivateFolder) async {
        await halt()
        let command = ProcessCommand(installed.portMapper, ["-port", "\(ports.portMapper)", "-kill"])
        let kill = try? ChildProcess("epmd", command, logPath: "\(folder.path)/epmd.log")
        _ = await kill?.end(after: .seconds(5))
    }
}
