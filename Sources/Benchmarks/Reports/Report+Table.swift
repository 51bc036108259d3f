import Messages

extension Report {
    /// A line for each figure, also those beside the first of a report; columns are as wide as they have to be.
    public static func table(_ reports: [Report]) -> [String] {
        let header = ["figure", "ratio", "has to be", "", "rate", "baseline", "unit"]
        let rows = [header] + reports.flatMap { [$0] + $0.also }.map(\.row)
        let widths = header.indices.map { column in rows.map { $0[column].count }.max() ?? 0 }
        return rows.map { row in
            let line = zip(row, widths).map { text, width in
                text + String(repeating: " ", count: width - text.count)
            }.joined(separator: "  ")
            return String(line.reversed().drop { $0 == " " }.reversed())
        }
    }

    /// One object: how many figures have a goal and meet it, and every report.
    public static func json(of reports: [Report]) -> String {
        let judged = reports.flatMap { [$0] + $0.also }.compactMap(\.isMet)
        let object = JSONWriter.object {
            $0.member("goals", judged.count)
            $0.member("met", judged.filter { $0 }.count)
            $0.key("benchmarks")
            $0.array { list in
                for report in reports { list.object { report.write(into: &$0) } }
            }
        }
        return String(decoding: object, as: UTF8.self)
    }

    private var row: [String] {
        let bound =
            switch goal {
            case nil: ""
            case .atLeast(let least): "≥ \(Self.text(least))"
            case .atMost(let most): "≤ \(Self.text(most))"
            }
        return [
            benchmark, Self.text(ratio), bound, isMet.map { $0 ? "met" : "missed" } ?? "", Self.text(value),
            Self.text(baseline), unit,
        ]
    }
}
