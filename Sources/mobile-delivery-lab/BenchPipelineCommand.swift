import Benchmarks
import Daemon
import LocalStack

extension BenchCommand {
    static let pipeline = BenchCommand(
        "pipeline", summary: "hints a second through the whole system, beside a bare publisher and consumer",
        options: [
            .value("jobs", "NUMBER", "jobs of two devices each round, and a quarter as many of eight (20000)"),
            .value("rounds", "NUMBER", "rounds, alternating with the bare pair (3)"),
        ]
    ) { arguments, interrupts in
        var benchmark = PipelineBenchmark()
        benchmark.jobs = try arguments.integer("jobs", default: benchmark.jobs, in: 256...1_000_000)
        benchmark.rounds = try arguments.integer("rounds", default: benchmark.rounds, in: 1...100)
        let programs = try Programs.besideThisOne(topology: LabEnvironment.topologyFolder)
        return try await BenchmarkServers.with(under: LabEnvironment.temporaryFolder, interrupts) { servers in
            try await benchmark.run(on: servers, programs)
        }
    }
}
