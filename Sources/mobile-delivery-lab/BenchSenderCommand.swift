import Benchmarks
import Daemon
import LocalStack

extension BenchCommand {
    static let sender = BenchCommand(
        "sender", summary: "hints a second and processor time a hint of a whole APNs sender, fed by RabbitMQ",
        options: [
            .value("hints", "NUMBER", "hints of each round (50000)"),
            .value("rounds", "NUMBER", "rounds, alternating with h2load (3)"),
        ]
    ) { arguments, interrupts in
        var benchmark = SenderBenchmark()
        benchmark.hints = try arguments.integer("hints", default: benchmark.hints, in: 100...1_000_000)
        benchmark.rounds = try arguments.integer("rounds", default: benchmark.rounds, in: 1...100)
        let programs = try Programs.besideThisOne(topology: LabEnvironment.topologyFolder)
        return try await BenchmarkServers.with(under: LabEnvironment.temporaryFolder, interrupts) { servers in
            try await OutboxSite.with(servers, programs, name: "bench_sender") { try await benchmark.run(on: $0) }
        }
    }
}
