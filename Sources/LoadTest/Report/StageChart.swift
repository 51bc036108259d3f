/// For each stage a bar from the median to p99.99, with the percentiles between as points; the axis has equal ratios.
struct StageChart {
    let latencies: StageLatencies

    private static let width = 380.0
    private static let left = 66.0
    private static let row = 24.0

    func html() -> String {
        let stages = latencies.stages
        let values = stages.flatMap { stage in
            Self.shown.compactMap { latencies[stage].quantile($0.fraction) }.map { max(0.05, Double($0) / 1e3) }
        }
        guard !values.isEmpty else { return "" }
        let scale = ChartScale(values, isLogarithmic: true)
        let height = Double(stages.count) * Self.row + 28
        var parts = [
            #"<svg viewBox="0 0 \#(Int(Self.width)) \#(Int(height))" role="img" aria-label="Latency by stage">"#
        ]
        for tick in scale.ticks {
            let x = Self.x(scale.place(tick))
            parts.append(
                #"<path class="grid" d="M\#(Figure.text(x, 1)) 4V\#(Figure.text(height - 22, 1))"/>"#
                    + #"<text x="\#(Figure.text(x, 1))" y="\#(Figure.text(height - 6, 1))" text-anchor="middle">\#(Self.label(tick))</text>"#
            )
        }
        for (index, stage) in stages.enumerated() {
            let y = Double(index) * Self.row + 18
            parts.append(
                #"<text class="name" x="\#(Self.left - 8)" y="\#(y + 4)" text-anchor="end">\#(stage.rawValue)</text>"#)
            let points = Self.shown.map { shown in
                (Self.x(scale.place(Double(latencies[stage].quantile(shown.fraction) ?? 0) / 1e3)), shown)
            }
            if let first = points.first, let last = points.last {
                parts.append(
                    #"<path class="bar" d="M\#(Figure.text(first.0, 1)) \#(y)H\#(Figure.text(max(last.0, first.0 + 1), 1))"/>"#
                )
            }
            for (x, shown) in points {
                let value = Figure.time(Double(latencies[stage].quantile(shown.fraction) ?? 0))
                parts.append(
                    #"<circle class="c\#(shown.colour)" cx="\#(Figure.text(x, 1))" cy="\#(y)" r="4"><title>\#(stage.rawValue) \#(shown.name) \#(value)</title></circle>"#
                )
            }
        }
        let legend = Self.shown.map { #"<span><i class="c\#($0.colour)"></i>\#($0.name)</span>"# }
        return """
            <figure>
            <figcaption>Latency by stage <small>from the intended arrival of the job</small></figcaption>
            \(parts.joined(separator: "\n"))
            </svg>
            <p class="legend">\(legend.joined())</p>
            </figure>
            """
    }

    private static let shown: [(name: String, fraction: Double, colour: Int)] = [
        ("p50", 0.5, 0), ("p99", 0.99, 1), ("p99.9", 0.999, 3), ("p99.99", 0.9999, 4),
    ]

    private static func x(_ share: Double) -> Double { left + share * (width - left - 22) }

    private static func label(_ milliseconds: Double) -> String {
        milliseconds >= 1000 ? "\(Figure.text(milliseconds / 1e3, 0)) s" : "\(Figure.text(milliseconds)) ms"
    }
}
