extension JobTimeline {
    private static let width = 920
    private static let margin = 100
    private static let laneHeight = 72
    /// Where words go beside their dot, nearest first: above, below, and once more.
    private static let levels = [-8, 17, -18, 27]
    /// Of a character, as wide as they come on average.
    private static let letter = 5

    /// A picture of it as SVG: a lane for the server and each phone, a dot for each event at its time, its words beside it.
    public var picture: String {
        let lanes = Set(events.map(\.lane)).sorted { ($0 == "server" ? "" : $0) < ($1 == "server" ? "" : $1) }
        let start = events.first?.at ?? 0
        let span = max((events.last?.at ?? 0) - start, 1)
        let height = lanes.count * JobTimeline.laneHeight + 24
        var lines = [
            #"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 \#(JobTimeline.width) \#(height)" role="img">"#,
            "<title>\(MarkupText.escape("\(job): \(purpose)"))</title>",
        ]
        for (index, lane) in lanes.enumerated() {
            let y = index * JobTimeline.laneHeight + 36
            lines.append(#"<text class="lane" x="4" y="\#(y + 4)">\#(MarkupText.escape(lane))</text>"#)
            lines.append(#"<line x1="\#(JobTimeline.margin)" x2="\#(JobTimeline.width - 10)" y1="\#(y)" y2="\#(y)"/>"#)
            var taken = JobTimeline.levels.map { _ in 0 }
            for event in events where event.lane == lane {
                lines.append(dot(event, after: event.at - start, of: span, y: y, &taken))
            }
        }
        lines.append(#"<text class="axis" x="\#(JobTimeline.margin)" y="\#(height - 6)">0</text>"#)
        lines.append(
            #"<text class="axis" text-anchor="end" x="\#(JobTimeline.width - 10)" y="\#(height - 6)">\#(span) ms</text>"#
        )
        lines.append("</svg>")
        return lines.joined(separator: "\n")
    }

    /// `taken` is how far to the right each level is written on.
    private func dot(_ event: Event, after time: Int64, of span: Int64, y: Int, _ taken: inout [Int]) -> String {
        let x = JobTimeline.margin + Int(Int64(JobTimeline.width - JobTimeline.margin - 20) * time / span)
        let length = event.what.count * JobTimeline.letter
        let isAtTheEdge = x + length > JobTimeline.width
        let left = isAtTheEdge ? x - length : x
        let level = taken.firstIndex { $0 < left } ?? taken.indices.min { taken[$0] < taken[$1] } ?? 0
        taken[level] = left + length
        let words = MarkupText.escape([event.what, event.detail].filter { !$0.isEmpty }.joined(separator: " "))
        let anchor = isAtTheEdge ? #" text-anchor="end""# : ""
        return #"<g><title>\#(words), +\#(time) ms</title><circle cx="\#(x)" cy="\#(y)" r="4"/>"#
            + #"<text class="event"\#(anchor) x="\#(x)" y="\#(y + JobTimeline.levels[level])">"#
            + "\(MarkupText.escape(event.what))</text></g>"
    }
}
