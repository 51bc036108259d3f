import Daemon

extension CommandTable {
    /// Every command of the laboratory. Each is a `static let` in a file of its own.
    static let lab = CommandTable(
        program: "mobile-delivery-lab",
        summary: "Private servers, simulated providers and phones; never part of a production image.",
        commands: [
            .up,
            .down,
            .sweep,
            .demo,
            .simulateProviders,
            .simulateDevices,
            .simulateSchedules,
            .simulateLosses,
            .simulateHints,
            .simulateMemory,
            .commit,
            .verify,
            .verifyApp,
            .benchAll,
            .chaosRelay,
            .chaosReplay,
            .chaosSenders,
            .chaosDevices,
            .loadTest,
            .loadTestMark,
        ] + BenchCommand.all.map(\.command))
}
