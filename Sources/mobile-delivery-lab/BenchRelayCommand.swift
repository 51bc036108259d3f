import Benchmarks
import Daemon
import LocalStack

extension BenchCommand {
    static let relay = BenchCommand(
        "relay", summary: "rows published and confirmed a second, beside a bare librabbitmq loop",
        options: [
            .value("rows", "NUMBER", "rows of each round (100000)"),
            .value("rounds", "NUMBER", "rounds, alternating with the bare loop (3)"),
            .value("window", "NUMBER", "confirms outstanding at once (500)"),
        ]
    ) { arguments, interrupts in
        var benchmark = RelayBenchmark()
        benchmark.rows = try arguments.integer("rows", default: benchmark.rows, in: 100...2_000_000)
        benchmark.rounds = try arguments.integer("rounds", default: benchmark.rounds, in: 1...100)
        benchmark.window = try arguments.integer("window", default: benchmark.window, in: 1...10_000)
        let programs = try Programs.besideThisOne(topology: LabEnvironment.topologyFolder)
        return try await BenchmarkServers.with(under: LabEnvironment.temporaryFolder, interrupts) { servers in
            try await OutboxSite.with(servers, programs, name: "bench_relay") { try await benchmark.run(on: $0) }
        }
    }
}
