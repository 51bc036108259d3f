import Benchmarks
import Daemon
import LocalStack

extension BenchCommand {
    static let latency = BenchCommand(
        "latency", summary: "commit to acceptance at a tenth of the highest rate, p50 and p99",
        options: [
            .value("jobs", "NUMBER", "jobs of two devices, drained to find the highest rate (10000)"),
            .value("seconds", "NUMBER", "of arrivals (20)"),
        ]
    ) { arguments, interrupts in
        var benchmark = LatencyBenchmark()
        benchmark.jobs = try arguments.integer("jobs", default: benchmark.jobs, in: 256...1_000_000)
        benchmark.seconds = Double(try arguments.integer("seconds", default: 20, in: 2...3600))
        let programs = try Programs.besideThisOne(topology: LabEnvironment.topologyFolder)
        return try await BenchmarkServers.with(under: LabEnvironment.temporaryFolder, interrupts) { servers in
            try await benchmark.run(on: servers, programs)
        }
    }
}
