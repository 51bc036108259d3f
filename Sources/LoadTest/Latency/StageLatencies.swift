/// A histogram a stage.
struct StageLatencies: Sendable {
    private(set) var histograms: [Stage: Histogram] = [:]

    mutating func record(_ stage: Stage, _ microseconds: Int64) {
        histograms[stage, default: Histogram()].record(microseconds)
    }

    mutating func merge(_ other: StageLatencies) {
        histograms.merge(other.histograms) { first, second in
            var sum = first
            sum.merge(second)
            return sum
        }
    }

    subscript(stage: Stage) -> Histogram { histograms[stage] ?? Histogram() }

    /// In the order of a hint's life, those that were seen.
    var stages: [Stage] { Stage.allCases.filter { self[$0].count > 0 } }

    static let fractions: [(name: String, fraction: Double)] = [
        ("p50", 0.5), ("p90", 0.9), ("p99", 0.99), ("p99.9", 0.999), ("p99.99", 0.9999), ("max", 1),
    ]
}
