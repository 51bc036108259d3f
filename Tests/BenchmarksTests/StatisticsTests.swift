import Benchmarks
import Testing

@Suite struct StatisticsTests {
    @Test(arguments: [([3.0, 1, 2], 2.0), ([4.0, 1, 2, 3], 2.5), ([7.0], 7.0)] as [([Double], Double)])
    func `the median is the middle`(_ values: [Double], _ median: Double) {
        #expect(Statistics.median(values) == median)
    }

    @Test(arguments: [(99.0, 99.0), (50.5, 51), (100, 100), (0, 1)])
    func `a percentile is a value of the list`(_ share: Double, _ expected: Double) {
        #expect(Statistics.percentile(share, of: (1...100).map(Double.init)) == expected)
    }

    @Test func `nothing has no median`() {
        #expect(Statistics.median([]).isNaN)
    }
}
