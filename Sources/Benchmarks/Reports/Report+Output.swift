import Messages

extension Report {
    /// Exactly one JSON object, in one line.
    public var json: String {
        String(decoding: JSONWriter.object { write(into: &$0) }, as: UTF8.self)
    }

    func write(into object: inout JSONWriter) {
        object.member("benchmark", benchmark)
        object.member("compares", compares)
        object.member("unit", unit)
        object.member("rate", decimal: value)
        object.member("baseline", decimal: baseline)
        object.member("ratio", decimal: ratio)
        if let goal {
            switch goal {
            case .atLeast(let least): object.member("atLeast", decimal: least)
            case .atMost(let most): object.member("atMost", decimal: most)
            }
            object.member("met", goal.isMet(by: ratio))
        }
        if let percentiles {
            object.member("p50_ms", decimal: percentiles.p50)
            object.member("p99_ms", decimal: percentiles.p99)
        }
        if let baselinePercentiles {
            object.member("baseline_p50_ms", decimal: baselinePercentiles.p50)
            object.member("baseline_p99_ms", decimal: baselinePercentiles.p99)
        }
        object.key("rounds")
        object.array { list in
            for round in rounds {
                list.object {
                    $0.member("rate", decimal: round.value)
                    $0.member("baseline", decimal: round.baseline)
                    $0.member("ratio", decimal: round.ratio)
                }
            }
        }
        if !also.isEmpty {
            object.key("also")
            object.array { list in
                for other in also { list.object { other.write(into: &$0) } }
            }
        }
        object.member("details", details)
        object.member("settings", settings)
        object.member("versions", versions)
    }

    /// The same for a person.
    public var lines: [String] {
        var lines = [
            "\(benchmark): \(compares)",
            "ratio     \(Self.text(ratio))\(verdict)",
            "rate      \(Self.text(value)) \(unit)",
            "baseline  \(Self.text(baseline)) \(unit)",
        ]
        if let percentiles {
            lines.append("p50, p99  \(Self.text(percentiles.p50)), \(Self.text(percentiles.p99)) ms")
        }
        if let baselinePercentiles {
            lines.append(
                "baseline  \(Self.text(baselinePercentiles.p50)), \(Self.text(baselinePercentiles.p99)) ms")
        }
        for (number, round) in rounds.enumerated() {
            lines.append(
                "round \(number + 1)   \(Self.text(round.value)) ÷ \(Self.text(round.baseline)) = \(Self.text(round.ratio))"
            )
        }
        lines += Self.lines(details)
        for other in also { lines += other.lines }
        return lines + Self.lines(settings + versions)
    }

    private static func lines(_ facts: [Fact]) -> [String] { facts.map { "\($0.name): \($0.value.plainText)" } }

    private var verdict: String {
        switch goal {
        case nil: ""
        case .atLeast(let least): " (at least \(Self.text(least)): \(isMet == true ? "met" : "missed"))"
        case .atMost(let most): " (at most \(Self.text(most)): \(isMet == true ? "met" : "missed"))"
        }
    }

    /// Three digits that matter, no exponent.
    static func text(_ number: Double) -> String {
        guard number.isFinite else { return "none" }
        if abs(number) >= 100 { return String(Int(number.rounded())) }
        let scale: Double = abs(number) >= 10 ? 10 : abs(number) >= 1 ? 100 : 1000
        return "\((number * scale).rounded() / scale)"
    }
}

extension JSONWriter {
    fileprivate mutating func member(_ name: String, decimal number: Double) {
        key(name)
        value(number.isFinite ? .decimal(Report.text(number)) : .null)
    }

    fileprivate mutating func member(_ name: String, _ facts: [Report.Fact]) {
        key(name)
        object { object in
            for fact in facts {
                object.key(fact.name)
                object.value(fact.value)
            }
        }
    }
}

extension JSONValue {
    /// Without the quotes of a string.
    fileprivate var plainText: String { string ?? String(decoding: encoded(), as: UTF8.self) }
}
