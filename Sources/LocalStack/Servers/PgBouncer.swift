import Daemon
import Glibc

/// Debian's PgBouncer in transaction mode in front of the private PostgreSQL: statements of one client meet another
/// server connection each time. Whoever starts one calls `stop()`.
public struct PgBouncer: Sendable {
    public let port: UInt16
    private let child: ChildProcess

    /// `role` may pass, sharing `connections` to the server.
    public static func start(
        for role: String, on servers: Servers, connections: Int
    ) async throws -> PgBouncer {
        guard access("/usr/sbin/pgbouncer", X_OK) == 0 else {
            throw CommandFailure(.systemFile, "no /usr/sbin/pgbouncer: install the Debian package pgbouncer")
        }
        let account = try SystemAccount.forServer("postgres")
        let home = try servers.folder.make("pgbouncer-\(RandomWord.make())", for: account)
        let port = try FreePort.pick(1)[0]
        // In clear text, because PgBouncer has to log in itself, for which a verifier is not enough.
        try servers.folder.write("\"\(role)\" \"\(servers.servicePassword)\"\n", to: "\(home)/users", for: account)
        try servers.folder.write(
            """
            [databases]
            * = host=127.0.0.1 port=\(servers.postgres.port)
            [pgbouncer]
            listen_addr = 127.0.0.1
            listen_port = \(port)
            unix_socket_dir =
            auth_type = scram-sha-256
            auth_file = \(home)/users
            pool_mode = transaction
            default_pool_size = \(connections)
            max_client_conn = 100
            """, to: "\(home)/pgbouncer.ini", for: account)
        let command = ProcessCommand(
            "/usr/sbin/pgbouncer", ["\(home)/pgbouncer.ini"],
            environment: ["PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8", Leftovers.mark: servers.folder.path])
        let child = try ChildProcess(
            "pgbouncer", command.run(by: account), logPath: "\(servers.folder.path)/pgbouncer.log")
        let bouncer = PgBouncer(port: port, child: child)
        do {
            try await wait(within: .seconds(20)) {
                guard child.identity.isRunning else {
                    throw CommandFailure(.systemFile, "PgBouncer ended while starting: \(child.lastLine)")
                }
                return child.log.contains("process up")
            } late: {
                CommandFailure(.temporary, "PgBouncer was not up after 20 s: \(child.lastLine)")
            }
        } catch {
            await bouncer.stop()
            throw error
        }
        return bouncer
    }

    public func stop() async { await child.end(within: .seconds(5)) }
}
