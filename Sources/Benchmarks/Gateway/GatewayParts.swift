import Cryptography
import Daemon
import FoundationEssentials
import Glibc
import LocalStack

/// What a gateway's three parts do alone.
struct GatewayParts {
    struct Rates {
        /// Answers, signature checks and queries a second.
        let constant: Double
        let checks: Double
        let queries: Double

        /// A request that needs one of each, if nothing came beside.
        var together: Double { 1 / (1 / constant + 1 / checks + 1 / queries) }
    }

    let site: GatewaySite
    let constant: ConstantServer
    let connections: Int
    let time: Duration

    func measure() async throws -> Rates {
        let answers = try await ConnectionLoad(
            port: constant.port, connections: connections, requests: try site.requests(), time: time
        ).run()
        return Rates(constant: answers.rate, checks: try await checks(), queries: try await queries())
    }

    /// On every core at once.
    private func checks() async throws -> Double {
        let signed = try site.signedBase()
        let limit = time
        let cores = max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN)))
        return try await withThrowingTaskGroup(of: Double.self) { group in
            for _ in 0..<cores {
                group.addTask {
                    try await OwnThread.run {
                        let began = ContinuousClock.now
                        var count = 0.0
                        while began.duration(to: .now) < limit {
                            for _ in 0..<100 {
                                guard
                                    Ed25519.isValid(signed.signature, of: signed.base, publicKey: signed.publicKey)
                                else { throw Unusable("a signature does not hold") }
                            }
                            count += 100
                        }
                        return count / (began.duration(to: .now) / .seconds(1))
                    }
                }
            }
            return try await group.reduce(0, +)
        }
    }

    /// By `pgbench` with prepared statements, over as many connections as a gateway has.
    private func queries() async throws -> Double {
        let stack = site.site.stack
        let scripts = try site.devices.enumerated().map { number, device in
            let path = "\(stack.folder)/fetch-\(number).sql"
            try Data("SELECT * FROM delivery.fetch_job('\(device.id)', '\(device.job)');\n".utf8)
                .write(to: URL(filePath: path))
            return path
        }
        let log = "\(stack.folder)/pgbench.log"
        try? FileManager.default.removeItem(atPath: log)
        let child = try ChildProcess(
            "pgbench",
            ProcessCommand(
                try Self.pgbench(),
                ["-n", "-M", "prepared", "-c", "8", "-j", "2", "-T", "\(max(1, time.components.seconds))"]
                    + scripts.flatMap { ["-f", $0] } + [stack.databaseURL(as: "md_gateway")],
                environment: stack.commonEnvironment),
            logPath: log)
        guard try await child.endUncancelled(after: .seconds(120)) == .exited(0), let rate = Self.rate(child.log) else {
            await child.end(within: .seconds(1))
            throw Unusable("pgbench: \(child.lastLine)")
        }
        return rate
    }

    /// From `tps = 12345.678901 (without initial connection time)`.
    static func rate(_ output: String) -> Double? {
        let line = output.split(separator: "\n").first { $0.hasPrefix("tps = ") }
        return line?.split(separator: " ").dropFirst(2).first.flatMap { Double($0) }
    }

    /// Of the newest PostgreSQL that is installed.
    private static func pgbench() throws(CommandFailure) -> String {
        let versions = (try? FileManager.default.contentsOfDirectory(atPath: "/usr/lib/postgresql")) ?? []
        let path = "/usr/lib/postgresql/\(versions.compactMap { Int($0) }.max() ?? 0)/bin/pgbench"
        guard FileManager.default.isExecutableFile(atPath: path) else {
            throw CommandFailure(
                .systemFile, "no pgbench: install the Debian package postgresql (scripts/test does)")
        }
        return path
    }
}
