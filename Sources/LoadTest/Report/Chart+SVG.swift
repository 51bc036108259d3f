extension Chart {
    private static let width = 380.0
    private static let height = 210.0
    private static let left = 46.0
    private static let right = 10.0
    private static let top = 12.0
    private static let bottom = 24.0

    /// A figure of the page: title, drawing, legend. Drawn for a width of a phone, so that its letters are never too small.
    func html() -> String {
        let legend = series.map { series in
            #"<span><i class="c\#(series.colour)\#(series.isDashed ? " dashed" : "")"></i>\#(HTML.escaped(series.name))</span>"#
        }
        return """
            <figure>
            <figcaption>\(HTML.escaped(title)) <small>\(HTML.escaped(unit))</small></figcaption>
            \(svg())
            <p class="legend">\(legend.joined())</p>
            </figure>
            """
    }

    private func svg() -> String {
        let scale = ChartScale(series.flatMap { $0.points.map(\.y) }, isLogarithmic: isLogarithmic)
        var parts = [
            #"<svg viewBox="0 0 \#(Int(Self.width)) \#(Int(Self.height))" role="img" aria-label="\#(HTML.escaped(title))">"#
        ]
        for tick in scale.ticks {
            let y = Self.y(scale.place(tick))
            parts.append(
                #"<path class="grid" d="M\#(Self.n(Self.left)) \#(Self.n(y))H\#(Self.n(Self.width - Self.right))"/>"#
                    + #"<text x="\#(Self.n(Self.left - 5))" y="\#(Self.n(y + 4))" text-anchor="end">\#(Self.short(tick))</text>"#
            )
        }
        let step = ChartScale.step(width / 5)
        for second in stride(from: 0, through: width, by: step) {
            parts.append(
                #"<text x="\#(Self.n(x(second)))" y="\#(Self.n(Self.height - 6))" text-anchor="middle">\#(Self.short(second)) s</text>"#
            )
        }
        for mark in marks {
            parts.append(
                #"<path class="mark" d="M\#(Self.n(x(mark.x))) \#(Self.n(Self.top))V\#(Self.n(Self.height - Self.bottom))">"#
                    + #"<title>\#(HTML.escaped(mark.name))</title></path>"#)
        }
        for series in series { parts.append(line(series, scale)) }
        return parts.joined(separator: "\n") + "\n</svg>"
    }

    private func line(_ series: Series, _ scale: ChartScale) -> String {
        let points = Self.thinned(series.points).filter { !isLogarithmic || $0.y > 0 }.map {
            "\(Self.n(x($0.x))),\(Self.n(Self.y(scale.place($0.y))))"
        }
        return
            #"<polyline class="c\#(series.colour)\#(series.isDashed ? " dashed" : "")" points="\#(points.joined(separator: " "))">"#
            + #"<title>\#(HTML.escaped(series.name))</title></polyline>"#
    }

    private func x(_ seconds: Double) -> Double {
        Self.left + seconds / max(width, 0.001) * (Self.width - Self.left - Self.right)
    }

    private static func y(_ share: Double) -> Double { top + (1 - share) * (height - top - bottom) }

    private static func n(_ number: Double) -> String { Figure.text(number, 1) }

    /// `1500` as `1.5k`.
    static func short(_ number: Double) -> String {
        switch abs(number) {
        case 1e6...: Figure.text(number / 1e6, 1) + "M"
        case 1e3...: Figure.text(number / 1e3, 1) + "k"
        default: Figure.text(number, number < 1 ? 3 : 1)
        }
    }
}
