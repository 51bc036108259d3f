public import LocalStack

/// Private servers for as long as a benchmark runs, with a PostgreSQL that waits for the disk as one in production does.
public enum BenchmarkServers {
    /// Starts them under `temporary`, runs `body` and stops them, also when it failed or was interrupted.
    public static func with<Result: Sendable>(
        under temporary: String, _ interrupts: Interrupts, _ body: (Servers) async throws -> Result
    ) async throws -> Result {
        let servers = try await Servers.start(under: temporary, durable: true) { interrupts.guarding($0) }
        do {
            let result = try await body(servers)
            try await servers.stop()
            return result
        } catch {
            // What stopping complains of is not why this failed.
            try? await servers.stop()
            throw error
        }
    }
}
