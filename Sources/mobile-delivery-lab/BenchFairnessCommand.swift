import Benchmarks
import Daemon
import LocalStack

extension BenchCommand {
    static let fairness = BenchCommand(
        "fairness", summary: "how long ten hints wait beside a million of another account, and of a paused route",
        options: [
            .value("rows", "NUMBER", "due hints of the other account (1000000)"),
            .value("trials", "NUMBER", "how often ten hints are watched (5)"),
        ]
    ) { arguments, interrupts in
        var benchmark = FairnessBenchmark()
        benchmark.rows = try arguments.integer("rows", default: benchmark.rows, in: 100...10_000_000)
        benchmark.trials = try arguments.integer("trials", default: benchmark.trials, in: 1...1000)
        let programs = try Programs.besideThisOne(topology: LabEnvironment.topologyFolder)
        return try await BenchmarkServers.with(under: LabEnvironment.temporaryFolder, interrupts) { servers in
            try await OutboxSite.with(servers, programs, name: "bench_fairness") { try await benchmark.run(on: $0) }
        }
    }
}
