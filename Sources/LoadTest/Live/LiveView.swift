/// What a person sees while a test runs. Values go in, lines come out; somebody else writes them.
struct LiveView {
    let plan: LoadPlan
    /// Of the try, when a maximum is searched for.
    var title = ""

    /// Lines of a terminal that is redrawn.
    func screen(_ sample: Sample, after before: Sample?) -> [String] {
        let rate = Self.rate(sample, before)
        let progress = min(1, sample.at / plan.seconds)
        let filled = Int(progress * 40)
        let bar = String(repeating: "█", count: filled) + String(repeating: "·", count: 40 - filled)
        var lines = [
            "\(title)\(plan.shape), seed \(plan.seed)",
            "\(bar) \(Int(progress * 100)) %  \(Figure.clock(sample.at)) of \(Figure.clock(plan.seconds))  \(remaining(sample, rate))",
            "rate     committed \(Figure.count(rate.committed))/s   accepted \(Figure.count(rate.accepted))/s   ended \(Figure.count(rate.ended))/s",
            "backlog  " + sample.backlog.map { "\($0.stage) \(Figure.count($0.hints))" }.joined(separator: "   "),
            "latency  " + latency("last second", sample.recent),
            "         " + latency("so far", sample.all),
        ]
        let busiest = sample.processors.sorted { $0.value > $1.value }.prefix(5)
        if !busiest.isEmpty {
            lines.append("busiest  " + busiest.map { "\($0.key) \(Int($0.value * 100)) %" }.joined(separator: "   "))
        }
        if !sample.strikes.isEmpty { lines.append("fault    " + sample.strikes.joined(separator: ", ")) }
        return lines
    }

    /// The same in one line of a log.
    func line(_ sample: Sample, after before: Sample?) -> String {
        let rate = Self.rate(sample, before)
        let latency = sample.recent.quantile(0.99).map { ", p99 \(Figure.time(Double($0)))" } ?? ""
        let strikes = sample.strikes.isEmpty ? "" : "; \(sample.strikes.joined(separator: ", "))"
        return "\(title)\(Figure.text(sample.at, 0)) s: committed \(Figure.count(rate.committed))/s, "
            + "accepted \(Figure.count(rate.accepted))/s, open \(Figure.count(sample.due))\(latency), "
            + remaining(sample, rate) + strikes
    }

    struct Rate: Equatable {
        var committed = 0
        var accepted = 0
        var ended = 0
    }

    static func rate(_ sample: Sample, _ before: Sample?) -> Rate {
        let seconds = max(0.001, sample.at - (before?.at ?? 0))
        func rate(_ count: (Sample) -> Int) -> Int {
            Int((Double(max(0, count(sample) - (before.map(count) ?? 0))) / seconds).rounded())
        }
        return Rate(committed: rate(\.committed), accepted: rate(\.accepted), ended: rate(\.ended))
    }

    /// Until the last arrival, and then until the backlog is done at the pace of the last look.
    private func remaining(_ sample: Sample, _ rate: Rate) -> String {
        if sample.at < plan.seconds { return "\(Figure.clock(plan.seconds - sample.at)) to go" }
        let left = sample.due + max(0, sample.intended - sample.committed)
        if left == 0 { return "counting" }
        guard rate.ended > 0 else { return "draining \(Figure.count(left))" }
        return "draining \(Figure.count(left)), about \(Figure.clock(Double(left) / Double(rate.ended)))"
    }

    private func latency(_ name: String, _ histogram: Histogram) -> String {
        guard histogram.count > 0 else { return "\(name) –" }
        let figures = StageLatencies.fractions.map {
            "\($0.name) \(Figure.time(Double(histogram.quantile($0.fraction) ?? 0)))"
        }
        return "\(name) " + figures.joined(separator: "  ")
    }
}
