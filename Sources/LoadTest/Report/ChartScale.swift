/// Where a number lies on an axis, and which numbers are written beside it.
struct ChartScale {
    let low: Double
    let high: Double
    let isLogarithmic: Bool
    let ticks: [Double]

    /// Covers all of `values`.
    init(_ values: [Double], isLogarithmic: Bool) {
        self.isLogarithmic = isLogarithmic
        let most = values.max() ?? 0
        let largest = most > 0 ? most : 1
        if isLogarithmic {
            let smallest = values.filter { $0 > 0 }.min() ?? largest
            var low = power(10, (logarithm(smallest) / logarithm(10)).rounded(.down))
            let high = power(10, (logarithm(largest) / logarithm(10)).rounded(.up))
            if low >= high { low = high / 10 }
            self.low = low
            self.high = high
            let decades = Int((logarithm(high / low) / logarithm(10)).rounded())
            ticks = (0...decades).map { low * power(10, Double($0)) }
        } else {
            let step = Self.step(largest / 4)
            low = 0
            high = (largest / step).rounded(.up) * step
            ticks = Array(stride(from: 0, through: high + step / 2, by: step))
        }
    }

    /// From 0 to 1.
    func place(_ value: Double) -> Double {
        let clamped = min(high, max(low, value))
        return isLogarithmic ? logarithm(clamped / low) / logarithm(high / low) : (clamped - low) / (high - low)
    }

    /// 1, 2 or 5 times a power of ten.
    static func step(_ least: Double) -> Double {
        let decade = power(10, (logarithm(least) / logarithm(10)).rounded(.down))
        return [1, 2, 5, 10].map { $0 * decade }.first { $0 >= least * 0.999_999 } ?? decade * 10
    }
}
