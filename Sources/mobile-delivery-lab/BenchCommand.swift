import Benchmarks
import Daemon
import LocalStack

/// `bench NAME`: a benchmark, which starts what it needs by itself, and prints its report as lines, or with `--json` as one
/// object.
struct BenchCommand: Sendable {
    let name: String
    private let summary: String
    private let options: [CommandOption]
    private let measure: @Sendable (ParsedArguments, Interrupts) async throws -> Report

    /// Every benchmark, those of a part before those of the whole.
    static let all: [BenchCommand] = [
        .relay, .agedOutbox, .fairness, .http2, .simulator, .sender, .gateway, .dead, .pipeline, .latency,
    ]

    init(
        _ name: String, summary: String, options: [CommandOption] = [],
        measure: @escaping @Sendable (ParsedArguments, Interrupts) async throws -> Report
    ) {
        self.name = name
        self.summary = summary
        self.options = options
        self.measure = measure
    }

    func report(_ arguments: ParsedArguments = ParsedArguments()) async throws -> Report {
        do {
            return try await Interrupts.handled { try await measure(arguments, $0) }
        } catch let error as Unusable {
            throw CommandFailure(.temporary, "bench \(name) measured nothing: \(error)")
        }
    }

    var command: Command {
        Command(
            "bench \(name)", summary: summary, options: options + [.flag("json", "one JSON object instead of lines")]
        ) { arguments in
            let report = try await report(arguments)
            print(arguments.has("json") ? report.json : report.lines.joined(separator: "\n"))
        }
    }
}
