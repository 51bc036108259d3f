import Benchmarks
import Daemon

extension BenchCommand {
    static let simulator = BenchCommand(
        "simulator", summary: "requests a second of the simulated APNs, beside a plain C server",
        options: [
            .value("requests", "NUMBER", "requests of each measurement (200000)"),
            .value("rounds", "NUMBER", "rounds, alternating with nghttpd (5)"),
            .value("connections", "NUMBER", "connections of h2load (1 and then 4)"),
            .value("streams", "NUMBER", "streams of each connection (100)"),
        ]
    ) { arguments, _ in
        var benchmark = SimulatorBenchmark()
        benchmark.requests = try arguments.integer("requests", default: benchmark.requests, in: 100...100_000_000)
        benchmark.rounds = try arguments.integer("rounds", default: benchmark.rounds, in: 1...100)
        let connections = try arguments.integer("connections", default: 0, in: 0...100)
        if connections > 0 { benchmark.connections = [connections] }
        benchmark.streams = try arguments.integer("streams", default: benchmark.streams, in: 1...1000)
        return try await benchmark.run(under: LabEnvironment.temporaryFolder)
    }
}
