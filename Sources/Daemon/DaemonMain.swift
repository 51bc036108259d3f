import Glibc
import HTTPServer

/// The wiring of every service command: signals, log, admin port, services, orderly end.
public enum DaemonMain {
    /// Runs what `build` returns, started in its order, until SIGTERM or SIGINT. `build` reads the settings, calls
    /// `environment.finish()` and makes the services; it waits for nothing outside (that is for the services' `run`).
    public static func run(
        _ name: String, environment: [String: String]? = nil,
        build: (DaemonContext) async throws -> [any Service]
    ) async throws {
        let shutdown = Shutdown()
        let signals = await TerminationSignals.register(shutdown)
        defer { signals.cancel() }
        let reader = EnvironmentReader(environment ?? ProcessEnvironment.current)
        let common = DaemonSettings(reader)
        Log.setLowestLevel(common.logLevel)
        let context = DaemonContext(environment: reader, instance: common.instance)
        try await Log.with([.command: .string(name), .instance: .string(common.instance)]) {
            // With bad settings of its own there is no admin port, and `build` ends at its `finish()`.
            let admin = reader.hasProblems ? nil : try startAdmin(common.adminAddress, context)
            if let admin { Log.info("admin listening", [.address: .of(admin.address)]) }
            let services = try await build(context)
            try reader.finish()
            for unknown in reader.unknownNames { Log.warning("setting not used here", [.setting: .string(unknown)]) }
            try await runAll(services, common, shutdown)
            await admin?.stop()
        }
    }

    private static func startAdmin(_ address: Address, _ context: DaemonContext) throws(CommandFailure) -> AdminServer {
        do throws(HTTPServerError) {
            return try AdminServer.start(address, metrics: context.metrics, readiness: context.readiness)
        } catch {
            throw CommandFailure(.unavailable, "\(error); set MOBILE_DELIVERY_ADMIN_LISTEN to a free address")
        }
    }

    private static func runAll(_ services: [any Service], _ common: DaemonSettings, _ shutdown: Shutdown) async throws {
        let guardian = Task {
            await shutdown.wait()
            guard !Task.isCancelled else { return }
            // Services are cancelled at the limit; one that does not even heed that must not keep the process.
            try await Task.sleep(for: common.stopWithin + .seconds(2))
            Log.error("ended by force")
            _exit(ExitStatus.software.rawValue)
        }
        defer { guardian.cancel() }
        try await ServiceGroup(services, stopWithin: common.stopWithin).run(until: shutdown)
    }
}
