/// What a rate has to meet to count as sustained: a latency from intended arrival to the provider's acceptance, nothing
/// lost, and every hint at its end within the patience of a probe.
public struct Objective: Equatable, Sendable, CustomStringConvertible {
    public let percentile: Double
    /// Seconds.
    public let limit: Double

    public init(percentile: Double, limit: Double) {
        self.percentile = percentile
        self.limit = limit
    }

    /// `p99<2s`, `p99.9<500ms`.
    public init?(_ text: String) {
        let halves = text.split(separator: "<").map(String.init)
        guard halves.count == 2, halves[0].hasPrefix("p"), let percentile = Double(halves[0].dropFirst()),
            (1..<100).contains(percentile), let limit = Figure.seconds(halves[1]), limit > 0
        else { return nil }
        self.init(percentile: percentile, limit: limit)
    }

    func isMet(by report: LoadReport) -> Bool {
        guard report.hasDrained, report.conservation.isKept else { return false }
        let accept = report.latencies[.accept]
        guard Int(accept.count) == report.conservation.end("accepted"),
            let latency = accept.quantile(percentile / 100)
        else { return false }
        return Double(latency) / 1e6 < limit
    }

    public var description: String { "p\(Figure.text(percentile, 2)) < \(Figure.text(limit)) s, loss 0" }
}
