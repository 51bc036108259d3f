import Daemon
import FoundationEssentials

/// The start of a private RabbitMQ: its files, its environment and the facts that say it is up.
struct RabbitMQLaunch: Sendable {
    let installed: InstalledServers
    let folder: PrivateFolder
    let home: String
    let account: SystemAccount
    let ports: RabbitMQServer.Ports
    let password: String

    private var pidFile: String { "\(home)/pid" }

    private var configuration: String {
        """
        management.tcp.ip = 127.0.0.1
        management.tcp.port = \(ports.management)
        disk_free_limit.absolute = 50MB
        default_user = \(RabbitMQServer.administrator)
        default_pass = \(password)
        log.file.level = warning
        """
    }

    /// Every place and port that the scripts would otherwise take from the machine's own broker.
    private var environment: [String: String] {
        [
            "PATH": "/usr/bin:/bin", "HOME": home, "LC_ALL": "C.UTF-8", Leftovers.mark: folder.path,
            "RABBITMQ_NODENAME": "md-\(ports.amqp)@localhost",
            "RABBITMQ_NODE_IP_ADDRESS": "127.0.0.1",
            "RABBITMQ_NODE_PORT": "\(ports.amqp)",
            "RABBITMQ_DIST_PORT": "\(ports.distribution)",
            "RABBITMQ_MNESIA_BASE": "\(home)/mnesia",
            "RABBITMQ_LOG_BASE": "\(home)/log",
            "RABBITMQ_GENERATED_CONFIG_DIR": "\(home)/generated",
            "RABBITMQ_ENABLED_PLUGINS_FILE": "\(home)/enabled_plugins",
            "RABBITMQ_CONFIG_FILE": "\(home)/rabbitmq.conf",
            "RABBITMQ_CONF_ENV_FILE": "/dev/null",
            "RABBITMQ_PID_FILE": pidFile,
            // The distribution would listen on all addresses.
            "RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS": "-kernel inet_dist_use_interface {127,0,0,1}",
            "ERL_EPMD_PORT": "\(ports.portMapper)",
            "ERL_EPMD_ADDRESS": "127.0.0.1",
        ]
    }

    /// nil if another process took one of the ports meanwhile and the caller may try again.
    func serve(mayRetry: Bool) async throws -> RabbitMQServer? {
        try folder.write(configuration, to: "\(home)/rabbitmq.conf", for: account)
        try folder.write("[rabbitmq_management].\n", to: "\(home)/enabled_plugins", for: account)
        let command = ProcessCommand("\(installed.rabbitmq)/rabbitmq-server", environment: environment)
        let child = try ChildProcess("rabbitmq", command.run(by: account), logPath: "\(folder.path)/rabbitmq.log")
        do {
            let process = try await brokerProcess(of: child)
            try await awaitStartup(of: child)
            return RabbitMQServer(
                home: home, ports: ports, password: password, script: child.identity, process: process)
        } catch {
            await child.end(within: .seconds(10))
            await Leftovers.end(of: folder.path, having: "ERL_EPMD_PORT=\(ports.portMapper)")
            if mayRetry, child.log.contains("eaddrinuse") || child.log.contains("already in use") { return nil }
            throw error
        }
    }

    /// The broker's own process, which it names in its pid file before its plugins run.
    private func brokerProcess(of child: ChildProcess) async throws -> ProcessIdentity {
        var found: ProcessIdentity?
        try await wait(within: .seconds(180)) {
            guard child.identity.isRunning else { throw ended(child) }
            let file = FileManager.default.contents(atPath: pidFile) ?? Data()
            let text = String(decoding: file, as: UTF8.self).prefix { $0.isNumber }
            found = Int32(text).flatMap(ProcessIdentity.init(of:))
            return found != nil
        } late: {
            CommandFailure(.temporary, "RabbitMQ wrote no pid file within 180 s: \(child.lastLine)")
        }
        guard let found else { throw ended(child) }
        return found
    }

    /// The management plugin listens only some time after the pid file is there.
    private func awaitStartup(of child: ChildProcess) async throws {
        let control = try await control(["await_startup", "--timeout", "180"], within: .seconds(190))
        guard control.hasSucceeded, child.identity.isRunning else {
            throw CommandFailure(.temporary, "RabbitMQ did not come up: \(control.said); \(child.lastLine)")
        }
    }

    /// Runs `rabbitmqctl` to its end; how that went, and what it said last.
    func control(_ arguments: [String], within limit: Duration) async throws -> (hasSucceeded: Bool, said: String) {
        let command = ProcessCommand("\(installed.rabbitmq)/rabbitmqctl", arguments, environment: environment)
        let control = try ChildProcess(
            "rabbitmqctl", command.run(by: account), logPath: "\(folder.path)/rabbitmqctl.log")
        return (await control.end(after: limit) == .exited(0), control.lastLine)
    }

    private func ended(_ child: ChildProcess) -> CommandFailure {
        CommandFailure(.systemFile, "RabbitMQ ended while starting: \(child.lastLine)")
    }
}
