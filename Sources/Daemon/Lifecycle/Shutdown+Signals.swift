extension Shutdown {
    /// Runs `body` with a stop that the first SIGTERM or SIGINT requests; the second ends the process at once. For commands
    /// that change something step by step.
    public static func requestedBySignals<Result>(
        _ body: (Shutdown) async throws -> Result
    ) async rethrows -> Result {
        let shutdown = Shutdown()
        let signals = await TerminationSignals.register(shutdown)
        defer { signals.cancel() }
        return try await body(shutdown)
    }
}
