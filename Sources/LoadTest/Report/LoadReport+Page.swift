extension LoadReport {
    /// One page that needs nothing else: no script, no font, no address.
    public var page: String {
        """
        <!DOCTYPE html>
        <html lang="en">
        <head>
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <meta name="color-scheme" content="light dark">
        <title>Load test: \(HTML.escaped(verdictWord))</title>
        <style>
        \(PageStyle.text)
        </style>
        </head>
        <body>
        <main>
        <h1>Load test</h1>
        <p class="verdict \(conservation.isKept ? "kept" : "broken")">\(HTML.escaped(verdict))</p>
        <dl class="figures">
        \(figures.map { "<div><dt>\(HTML.escaped($0.name))</dt><dd>\(HTML.escaped($0.value))</dd></div>" }.joined(separator: "\n"))
        </dl>
        <section class="charts">
        \(charts.prefix(3).map { $0.html() }.joined(separator: "\n"))
        \(StageChart(latencies: latencies).html())
        \(charts.dropFirst(3).map { $0.html() }.joined(separator: "\n"))
        </section>
        <h2>Conservation</h2>
        <p>Each hint is in exactly one place. Of \(Figure.count(conservation.committed)) committed:</p>
        \(HTML.table(conservationTable))
        \(findingsHTML)
        <h2>Latency by stage</h2>
        <p>From the instant at which the job was to arrive, whether or not the producer was late.</p>
        \(HTML.table(latencyTable, named: "stages"))
        \(processes.isEmpty ? "" : "<h2>Processes</h2>" + HTML.table(processTable))
        \(tries.isEmpty ? "" : "<h2>Search for the maximum</h2>" + HTML.table(tryTable))
        <h2>Settings</h2>
        <pre>\(HTML.escaped(planLines.joined(separator: "\n")))</pre>
        </main>
        </body>
        </html>
        """
    }

    /// More would make the page too large for a phone.
    private static let listed = 1000

    private var verdictWord: String { conservation.isKept ? "kept" : "BROKEN" }

    private var figures: [(name: String, value: String)] {
        let accept = latencies[.accept]
        func time(_ fraction: Double) -> String {
            accept.quantile(fraction).map { Figure.time(Double($0)) } ?? "–"
        }
        return [
            ("committed", Figure.count(conservation.committed)),
            ("accepted a second", Figure.count(Int(acceptedRate.rounded()))),
            ("p50 to acceptance", time(0.5)), ("p99", time(0.99)), ("p99.9", time(0.999)),
            ("p99, last ÷ second quarter", latencyGrowth.map { Figure.text($0, 2) } ?? "–"),
        ]
    }

    private var conservationTable: [[String]] {
        var rows = [["place", "hints"]]
        for word in Conservation.endWords { rows.append([word, Figure.count(conservation.end(word))]) }
        rows.append([
            "due, of which deferred", "\(Figure.count(conservation.due)), \(Figure.count(conservation.deferred))",
        ])
        rows.append(["in flight", Figure.count(conservation.inFlight)])
        for kind in Finding.Kind.allCases { rows.append([kind.rawValue, Figure.count(conservation.count(kind))]) }
        return rows
    }

    private var findingsHTML: String {
        guard !conservation.findings.isEmpty else { return "" }
        var items = conservation.findings.prefix(Self.listed).map { "<li>\(HTML.escaped($0.description))</li>" }
        if conservation.findings.count > items.count {
            items.append("<li>and \(conservation.findings.count - items.count) more, in the report as JSON</li>")
        }
        return #"<h3>Not accounted for</h3><ol class="findings">\#(items.joined(separator: "\n"))</ol>"#
    }

    private var processTable: [[String]] {
        let growth = Dictionary(uniqueKeysWithValues: memoryGrowth.map { ($0.process, $0.growth) })
        return [["process", "µs a hint", "highest memory", "memory, last ÷ second quarter"]]
            + processes.map { name in
                [
                    name, Figure.text(processorTime(of: name), 1), "\(highestMemory(of: name) / 1024) MiB",
                    growth[name].map { Figure.text($0, 2) } ?? "–",
                ]
            }
    }

    private var tryTable: [[String]] {
        [["jobs a second", "", "p99 to acceptance"]]
            + tries.map { tried in
                [
                    Figure.text(tried.rate, 1), tried.isMet ? "met" : "missed",
                    tried.p99.map { Figure.time(Double($0)) } ?? "–",
                ]
            }
    }
}
