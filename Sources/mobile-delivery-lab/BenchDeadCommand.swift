import Benchmarks
import Daemon
import LocalStack

extension BenchCommand {
    static let dead = BenchCommand(
        "dead", summary: "the first page of `dead list` over a million dead letters, by each filter",
        options: [
            .value("rows", "NUMBER", "open dead letters (1000000)"),
            .value("rounds", "NUMBER", "rounds, alternating (5)"),
        ]
    ) { arguments, interrupts in
        var benchmark = DeadBenchmark()
        benchmark.letters = try arguments.integer("rows", default: benchmark.letters, in: 2000...100_000_000)
        benchmark.rounds = try arguments.integer("rounds", default: benchmark.rounds, in: 1...100)
        let programs = try Programs.besideThisOne(topology: LabEnvironment.topologyFolder)
        return try await BenchmarkServers.with(under: LabEnvironment.temporaryFolder, interrupts) { servers in
            try await benchmark.run(on: servers, programs)
        }
    }
}
