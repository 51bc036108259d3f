import LocalStack

extension LoadReport {
    /// For a terminal or a log: at most eighty columns where ids allow it.
    public var text: String {
        var lines = planLines
        lines += tries.map { tried in
            "  tried    \(Figure.text(tried.rate, 1)) jobs/s: \(tried.isMet ? "met" : "missed")"
                + (tried.p99.map { ", p99 \(Figure.time(Double($0)))" } ?? "")
        }
        lines += ["", "hints      \(sumText)"]
        if plan.outsiders > 0 {
            lines.append("events     \(Figure.count(events)), each to \(plan.outsiders) outsiders")
        }
        lines.append(
            "rate       \(Figure.count(Int(acceptedRate))) hints/s accepted while jobs arrived; the last ended "
                + "\(Figure.text(drainSeconds, 1)) s after the last arrival")
        lines += ["", "latency from the intended arrival of the job"]
        lines += latencyTable.map { row in
            "  " + row.enumerated().map { Self.padded($1, $0 == 0 ? 10 : 10, left: $0 == 0) }.joined()
        }
        lines += [""] + steadinessLines
        if !processes.isEmpty {
            lines += ["", "processes     µs a hint       highest memory"]
            lines += processes.map { name in
                "  " + Self.padded(name, 16, left: true) + Self.padded(Figure.text(processorTime(of: name), 1), 7)
                    + Self.padded("\(highestMemory(of: name) / 1024) MiB", 20)
            }
        }
        lines += [""] + findingLines
        return lines.joined(separator: "\n")
    }

    /// What was done, in words.
    var planLines: [String] {
        let instances = plan.instances.filter { $0.value > 1 }.sorted { $0.key.rawValue < $1.key.rawValue }
            .map { ", \($0.value) × \($0.key)" }.joined()
        var lines = [
            "load test  \(plan.shape) for \(Figure.text(plan.seconds, 1)) s, seed \(plan.seed)",
            "  accounts \(plan.accounts), \(plan.devices) devices each, skew \(Figure.text(plan.skew.exponent))"
                + (plan.phones > 0 ? ", and \(plan.phones) phones" : ""),
            "  routes   \(plan.routes)\(instances)",
        ]
        if !plan.providers.isPlain { lines.append("  provider \(providerText)") }
        for strike in plan.faults.strikes { lines.append("  fault    \(strike)") }
        if let objective { lines.append("  goal     \(objective)") }
        lines.append("  with     \(versions.map { "\($0.name) \($0.value)" }.joined(separator: ", "))")
        return lines
    }

    private var providerText: String {
        let providers = plan.providers
        let shares = [
            ("faults", providers.faults), ("unregistered", providers.unregistered),
            ("planted loss", providers.plantedLoss), ("planted double", providers.plantedDouble),
        ]
        return
            (["latency \(providers.latency) ms"]
            + shares.filter { $0.1 > 0 }.map { "\($0.0) \(Figure.text($0.1 * 100, 4)) %" }).joined(separator: ", ")
    }

    /// The sum of conservation.
    var sumText: String {
        let parts = Conservation.endWords.map { "\($0) \(Figure.count(conservation.end($0)))" }
        return "committed \(Figure.count(conservation.committed)) = " + parts.joined(separator: " + ")
            + " + due \(Figure.count(conservation.due)) (of which deferred \(Figure.count(conservation.deferred)))"
            + " + in flight \(Figure.count(conservation.inFlight))"
    }

    /// A header and a row a stage.
    var latencyTable: [[String]] {
        let all = latencies
        return [["stage"] + StageLatencies.fractions.map(\.name) + ["count"]]
            + all.stages.map { stage in
                [stage.rawValue]
                    + StageLatencies.fractions.map { Figure.time(Double(all[stage].quantile($0.fraction) ?? 0)) }
                    + [Figure.count(Int(all[stage].count))]
            }
    }

    private var steadinessLines: [String] {
        guard let growth = latencyGrowth else { return [] }
        let memory = memoryGrowth.map { "\($0.process) \(Figure.text($0.growth, 2))" }
        return [
            "last quarter ÷ second: p99 \(Figure.text(growth, 2))"
                + (memory.isEmpty ? "" : "; memory " + memory.joined(separator: ", "))
        ]
    }

    /// The verdict, and every hint that is not accounted for.
    var findingLines: [String] {
        var lines = [verdict]
        lines += conservation.findings.map { "  \($0)" }
        if !hasDrained { lines += lastWords.map { "  \($0)" } }
        return lines
    }

    var verdict: String {
        let counts = Finding.Kind.allCases.map { "\(conservation.count($0)) \($0.rawValue)" }.joined(separator: ", ")
        if !conservation.isKept { return "BROKEN: \(counts)" }
        let doubles =
            conservation.allowedDoubles == 0
            ? "" : "; \(conservation.allowedDoubles) accepted again, as decision 3 allows"
        let open = hasDrained ? "" : "; \(Figure.count(conservation.open)) hints did not end in time"
        return "kept: nothing lost, nothing doubled, nothing unexplained\(doubles)\(open)"
    }

    private static func padded(_ text: String, _ width: Int, left: Bool = false) -> String {
        let blanks = String(repeating: " ", count: max(0, width - text.count))
        return left ? text + blanks : blanks + text
    }
}
