import Benchmarks
import Daemon
import LocalStack

extension BenchCommand {
    static let agedOutbox = BenchCommand(
        "aged-outbox", summary: "what a hint costs with ten million finished ones behind it, beside none",
        options: [
            .value("rows", "NUMBER", "finished hints of the last seven days (10000000)"),
            .value("hints", "NUMBER", "hints of each round (20000)"),
            .value("rounds", "NUMBER", "rounds, alternating (3)"),
        ]
    ) { arguments, interrupts in
        var benchmark = AgedOutboxBenchmark()
        benchmark.history = try arguments.integer("rows", default: benchmark.history, in: 10_000...100_000_000)
        benchmark.hints = try arguments.integer("hints", default: benchmark.hints, in: 100...1_000_000)
        benchmark.rounds = try arguments.integer("rounds", default: benchmark.rounds, in: 1...100)
        let programs = try Programs.besideThisOne(topology: LabEnvironment.topologyFolder)
        return try await BenchmarkServers.with(under: LabEnvironment.temporaryFolder, interrupts) { servers in
            try await benchmark.run(on: servers, programs)
        }
    }
}
