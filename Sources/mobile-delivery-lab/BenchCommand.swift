import Benchmarks
import Daemon
import LocalStack

extension Command {
    /// A benchmark: it starts what it needs by itself, and prints its report as lines, or with `--json` as one object.
    static func bench(
        _ name: String, summary: String, options: [CommandOption] = [],
        measure: @escaping @Sendable (ParsedArguments, Interrupts) async throws -> Report
    ) -> Command {
        Command(
            "bench \(name)", summary: summary, options: options + [.flag("json", "one JSON object instead of lines")]
        ) { arguments in
            do {
                let report = try await Interrupts.handled { try await measure(arguments, $0) }
                print(arguments.has("json") ? report.json : report.lines.joined(separator: "\n"))
            } catch let error as Unusable {
                throw CommandFailure(.temporary, "bench \(name) measured nothing: \(error)")
            }
        }
    }
}
