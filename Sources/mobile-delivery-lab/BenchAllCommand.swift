import Benchmarks
import Daemon
import Glibc

extension Command {
    /// Every benchmark with its own defaults, one after the other; a missed figure is no failure, one that could not be
    /// measured is.
    static let benchAll = Command(
        "bench all", summary: "every benchmark, one after the other, and a table of the figures",
        options: [
            .value("only", "NAME", "this one alone; may be given several times"),
            .value("except", "NAME", "without this one; may be given several times"),
            .flag("json", "one JSON object instead of a table"),
        ]
    ) { arguments in
        let chosen = try choose(arguments)
        var reports: [Report] = []
        var failed: [String] = []
        for benchmark in chosen {
            // What is measured is the standard output; how far it is goes beside it.
            tell("bench \(benchmark.name) …")
            do {
                reports.append(try await benchmark.report())
            } catch let failure as CommandFailure where failure.status == .temporary {
                tell(failure.line)
                failed.append(benchmark.name)
            }
        }
        print(arguments.has("json") ? Report.json(of: reports) : Report.table(reports).joined(separator: "\n"))
        if !failed.isEmpty {
            throw CommandFailure(
                .temporary, "measured nothing: \(failed.joined(separator: ", ")); the reasons are above")
        }
    }

    private static func choose(_ arguments: ParsedArguments) throws(CommandFailure) -> [BenchCommand] {
        let only = arguments.values(of: "only")
        let except = arguments.values(of: "except")
        for name in only + except where !BenchCommand.all.contains(where: { $0.name == name }) {
            let names = BenchCommand.all.map(\.name).joined(separator: ", ")
            throw CommandFailure(.usage, "there is no benchmark '\(name)': \(names)")
        }
        return BenchCommand.all.filter { (only.isEmpty || only.contains($0.name)) && !except.contains($0.name) }
    }

    private static func tell(_ line: String) {
        let bytes = Array((line + "\n").utf8)
        _ = write(STDERR_FILENO, bytes, bytes.count)
    }
}
