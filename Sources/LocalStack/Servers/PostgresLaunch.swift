import Daemon
import FoundationEssentials

/// The two programs behind a private PostgreSQL and what they are told.
struct PostgresLaunch: Sendable {
    let programs: String
    let folder: PrivateFolder
    let home: String
    let account: SystemAccount
    let durable: Bool

    private var environment: [String: String] {
        ["PATH": "/usr/bin:/bin", "HOME": home, "LC_ALL": "C.UTF-8", Leftovers.mark: folder.path]
    }

    func initialise() async throws {
        let command = ProcessCommand(
            "\(programs)/initdb",
            [
                "--pgdata=\(home)/data", "--username=postgres", "--auth=scram-sha-256", "--pwfile=\(home)/password",
                "--encoding=UTF8", "--locale=C.UTF-8", "--no-sync",
            ],
            environment: environment)
        let child = try ChildProcess("initdb", command.run(by: account), logPath: "\(folder.path)/initdb.log")
        guard await child.end(after: .seconds(120)) == .exited(0) else {
            throw CommandFailure(.systemFile, "initdb failed: \(child.lastLine)")
        }
    }

    /// Starts the server; nil if another process took the port meanwhile and the caller may try again.
    func serve(port: UInt16, mayRetry: Bool) async throws -> ProcessIdentity? {
        // fsync off: the data does not outlive the machine, and a killed process loses nothing by it.
        let settings = [
            "listen_addresses=127.0.0.1", "port=\(port)", "unix_socket_directories=\(home)",
            "fsync=\(durable ? "on" : "off")", "max_connections=400", "log_min_messages=warning",
        ]
        let command = ProcessCommand(
            "\(programs)/postgres", ["-D", "\(home)/data"] + settings.flatMap { ["-c", $0] }, environment: environment)
        let child = try ChildProcess("postgres", command.run(by: account), logPath: "\(folder.path)/postgres.log")
        do {
            try await wait(within: .seconds(120)) {
                try await isReady(child)
            } late: {
                CommandFailure(.temporary, "PostgreSQL was not ready after 120 s: \(child.lastLine)")
            }
            return child.identity
        } catch {
            await child.end(within: .seconds(5))
            if mayRetry, child.log.contains("Address already in use") { return nil }
            throw error
        }
    }

    /// The server writes its state into the eighth line of its pid file.
    private func isReady(_ child: ChildProcess) async throws(CommandFailure) -> Bool {
        guard child.identity.isRunning else {
            throw CommandFailure(.systemFile, "PostgreSQL ended while starting: \(child.lastLine)")
        }
        let file = FileManager.default.contents(atPath: "\(home)/data/postmaster.pid") ?? Data()
        let lines = String(decoding: file, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false)
        return lines.count > 7 && lines[7].hasPrefix("ready")
    }
}
