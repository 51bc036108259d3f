/// Middle and tail of a list of measurements.
public enum Statistics {
    /// Not a number for an empty list.
    public static func median(_ values: [Double]) -> Double { percentile(50, of: values) }

    /// The smallest value that at least `share` percent of all do not exceed; for an even count and 50, the middle of two.
    public static func percentile(_ share: Double, of values: [Double]) -> Double {
        guard !values.isEmpty else { return .nan }
        let sorted = values.sorted()
        if share == 50, sorted.count % 2 == 0 {
            return (sorted[sorted.count / 2 - 1] + sorted[sorted.count / 2]) / 2
        }
        let rank = Int((share / 100 * Double(sorted.count)).rounded(.up))
        return sorted[min(max(rank, 1), sorted.count) - 1]
    }
}
