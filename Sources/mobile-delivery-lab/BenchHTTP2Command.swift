import Benchmarks
import Daemon
import LocalStack

extension BenchCommand {
    static let http2 = BenchCommand(
        "http2", summary: "awaited HTTP/2 requests a second, beside h2load and a libcurl multi loop",
        options: [
            .value("requests", "NUMBER", "requests of each round (400000)"),
            .value("rounds", "NUMBER", "rounds, alternating with h2load (3)"),
            .value("window", "NUMBER", "requests under way at once (500)"),
        ]
    ) { arguments, interrupts in
        var benchmark = HTTP2Benchmark()
        benchmark.requests = try arguments.integer("requests", default: benchmark.requests, in: 1000...10_000_000)
        benchmark.rounds = try arguments.integer("rounds", default: benchmark.rounds, in: 1...100)
        benchmark.window = try arguments.integer("window", default: benchmark.window, in: 1...1000)
        let programs = try Programs.besideThisOne(topology: LabEnvironment.topologyFolder)
        return try await PrivateFolder.with(under: LabEnvironment.temporaryFolder, interrupts) { folder in
            try await benchmark.run(programs, in: folder)
        }
    }
}
