import Testing

@testable import LoadTest

@Suite struct MaximumSearchTests {
    /// The rates tried when everything up to `limit` meets the objective.
    private func search(_ limit: Double, first: Double) -> (tried: [Double], found: Double?) {
        var search = MaximumSearch(first: first)
        var tried: [Double] = []
        while let rate = search.next, tried.count < 50 {
            tried.append(rate)
            search.record(rate, isMet: rate <= limit)
        }
        return (tried, search.found)
    }

    @Test(arguments: [0.9, 7.0, 100, 730, 12_345])
    func `the result is within a tenth below the limit, from whatever first rate`(_ limit: Double) throws {
        for first in [1.0, 100, 5000] {
            let (tried, found) = search(limit, first: first)
            #expect(tried.count < 25)
            guard limit >= 1 else {
                #expect(found.map { $0 <= limit } ?? true)
                continue
            }
            let rate = try #require(found, "\(limit) from \(first): \(tried)")
            #expect(rate <= limit)
            #expect(rate * 1.1 >= limit * 0.999, "\(limit) from \(first): \(rate)")
        }
    }

    @Test func `it doubles first and halves the distance then`() {
        #expect(search(500, first: 100).tried == [100, 200, 400, 800, 600, 500, 550])
    }

    @Test(arguments: [("p99<2s", 99.0, 2.0), ("p99.9<500ms", 99.9, 0.5)])
    func `an objective is read as it is written`(_ text: String, _ percentile: Double, _ limit: Double) {
        #expect(Objective(text) == Objective(percentile: percentile, limit: limit))
    }

    @Test(arguments: ["p99", "99<2s", "p99<2", "p100<1s", "p0<1s", "p99<0"])
    func `what is no objective is refused`(_ text: String) { #expect(Objective(text) == nil) }
}
