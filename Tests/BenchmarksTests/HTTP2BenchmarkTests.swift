import Benchmarks
import FoundationEssentials
import LocalStack
import Messages
import TestSupport
import Testing

@Suite(.serialized, .timeLimit(.minutes(10)))
struct HTTP2BenchmarkTests {
    @Test func `small rounds have every figure, and every request is answered`() async throws {
        var benchmark = HTTP2Benchmark()
        (benchmark.requests, benchmark.rounds, benchmark.window, benchmark.flight) = (3000, 2, 100, 200)
        // Rounds this small, beside other tests, say nothing of the server.
        benchmark.leastReserve = 0
        let measured = benchmark
        let programs = try Programs.besideThisOne(topology: "\(Repository.root)/topology")
        let temporary = ProcessInfo.processInfo.environment["TMPDIR"] ?? "/tmp"
        let report = try await Interrupts.handled { interrupts in
            try await PrivateFolder.with(under: temporary, interrupts) { try await measured.run(programs, in: $0) }
        }
        #expect(report.rounds.count == 2)
        #expect(report.also.map(\.benchmark) == ["http2 push"])
        for figure in [report] + report.also {
            #expect(figure.goal == .atLeast(0.5))
            #expect(figure.rounds.allSatisfy { $0.value > 0 && $0.baseline > 0 })
        }
        let object = try JSONValue(parsing: Array(report.json.utf8))
        #expect(object["also"]?.array?.first?["met"] != nil)
        #expect(object["settings"]?["requests"] == .integer(3000))
    }
}
