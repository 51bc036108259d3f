import Delivery
import Testing

@testable import LoadTest

@Suite struct HistogramTests {
    @Test func `every bucket is narrower than a hundredth of its values`() {
        var random = SplitMix64(seed: 3)
        for _ in 0..<10_000 {
            let value = Int64(random.next() >> UInt64.random(in: 8...63, using: &random))
            let index = Histogram.index(of: value)
            let highest = Histogram.highest(in: index)
            #expect(highest >= value)
            #expect(Double(highest - value) <= Double(value) / 100, "\(value) in bucket \(index) up to \(highest)")
            #expect(Histogram.index(of: highest) == index)
            #expect(Histogram.index(of: highest + 1) == index + 1)
        }
    }

    @Test func `percentiles of the numbers to a hundred thousand are right to a hundredth`() {
        var histogram = Histogram()
        for value in (1...100_000).shuffled() { histogram.record(Int64(value)) }
        for (fraction, exact) in [(0.5, 50_000.0), (0.9, 90_000), (0.99, 99_000), (0.9999, 99_990)] {
            let found = Double(histogram.quantile(fraction) ?? 0)
            #expect(abs(found - exact) <= exact / 100, "\(fraction): \(found)")
        }
        #expect(histogram.quantile(1) == 100_000)
        #expect(abs(histogram.mean - 50_000.5) < 0.01)
    }

    @Test func `two that are merged are as one that counted everything`() {
        var random = SplitMix64(seed: 5)
        var parts = [Histogram(), Histogram(), Histogram()]
        var whole = Histogram()
        for index in 0..<3000 {
            let value = Int64.random(in: 0...(index < 1000 ? 100 : 10_000_000), using: &random)
            parts[index / 1000].record(value)
            whole.record(value)
        }
        let merged = parts.reduce(into: Histogram()) { $0.merge($1) }
        for fraction in [0.001, 0.5, 0.99, 0.9999, 1] {
            #expect(merged.quantile(fraction) == whole.quantile(fraction))
        }
        #expect(merged.count == whole.count)
    }

    @Test func `nothing counted has no percentile, and a time before the start counts as none`() {
        var histogram = Histogram()
        #expect(histogram.quantile(0.5) == nil)
        histogram.record(-5)
        #expect(histogram.quantile(0.5) == 0)
    }
}
