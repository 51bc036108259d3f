import Benchmarks
import Daemon
import LocalStack

extension BenchCommand {
    static let gateway = BenchCommand(
        "gateway",
        summary: "signed fetches a second of a gateway beside its parts, and answer times at 1,000 connections",
        options: [
            .value("rounds", "NUMBER", "rounds, alternating with the parts (3)"),
            .value("seconds", "NUMBER", "of each measurement (5)"),
        ]
    ) { arguments, interrupts in
        var benchmark = GatewayBenchmark()
        benchmark.rounds = try arguments.integer("rounds", default: benchmark.rounds, in: 1...100)
        benchmark.time = .seconds(try arguments.integer("seconds", default: 5, in: 1...60))
        let programs = try Programs.besideThisOne(topology: LabEnvironment.topologyFolder)
        return try await BenchmarkServers.with(under: LabEnvironment.temporaryFolder, interrupts) { servers in
            try await OutboxSite.with(servers, programs, name: "bench_gateway") { try await benchmark.run(on: $0) }
        }
    }
}
