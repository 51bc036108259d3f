import Delivery
import Testing

@testable import LoadTest

@Suite struct ArrivalTests {
    private func arrivals(_ shape: ArrivalShape, even: Bool = false, seed: UInt64 = 1, skew: Double = 0) -> [Arrival] {
        Arrival.all(
            shape, seconds: 20, isEven: even, skew: Skew(exponent: skew), accounts: 10, seed: seed)
    }

    private func count(_ arrivals: [Arrival], from: Double, to: Double) -> Int {
        arrivals.count { (Int64(from * 1e6)..<Int64(to * 1e6)).contains($0.at) }
    }

    @Test func `the same seed gives the same instants, accounts and ids, another seed others`() {
        #expect(arrivals(.constant(50)) == arrivals(.constant(50)))
        #expect(arrivals(.constant(50)) != arrivals(.constant(50), seed: 2))
    }

    @Test func `a change of rate leaves the order of ids and accounts alone`() {
        let few = arrivals(.constant(10))
        let many = arrivals(.constant(100))
        #expect(zip(few, many).allSatisfy { $0.job == $1.job && $0.account == $1.account })
    }

    @Test func `even arrivals keep their distance`() {
        let all = arrivals(.constant(100), even: true)
        #expect(all.count == 2000 || all.count == 1999)
        for (left, right) in zip(all, all.dropFirst()) { #expect(abs(right.at - left.at - 10_000) <= 2) }
    }

    @Test func `chance brings as many as the rate says, to four standard deviations`() {
        #expect(abs(arrivals(.constant(200)).count - 4000) < 4 * 64)
    }

    @Test func `a ramp has three times as many in its second half when it begins at nothing`() {
        let all = arrivals(.ramp(from: 0, to: 100), even: true)
        #expect(abs(count(all, from: 0, to: 10) - 250) <= 1)
        #expect(abs(count(all, from: 10, to: 20) - 750) <= 1)
    }

    @Test func `steps last equally long`() {
        let all = arrivals(.steps([10, 40, 20, 0]), even: true)
        let counts = (0..<4).map { count(all, from: Double($0) * 5, to: Double($0 + 1) * 5) }
        for (found, wanted) in zip(counts, [50, 200, 100, 0]) { #expect(abs(found - wanted) <= 1, "\(counts)") }
    }

    @Test func `a burst comes at one instant, beside the base rate`() {
        let all = arrivals(.bursts(base: 10, jobs: 300, every: 6), even: true)
        for instant in [6, 12, 18] { #expect(all.count { $0.at == Int64(instant) * 1_000_000 } >= 300) }
        #expect(abs(all.count - 200 - 900) <= 1)
        #expect(zip(all, all.dropFirst()).allSatisfy { $0.at <= $1.at })
    }

    @Test func `skew gives the first account as much more as its weight`() {
        let all = arrivals(.constant(500), skew: 1)
        let first = Double(all.count { $0.account == 0 })
        let second = Double(all.count { $0.account == 1 })
        #expect(abs(first / second - 2) < 0.3, "\(first / second)")
    }

    @Test(arguments: [
        ("100", ArrivalShape.constant(100)), ("ramp:1,50", .ramp(from: 1, to: 50)), ("steps:1,2,3", .steps([1, 2, 3])),
        ("bursts:5,100,10s", .bursts(base: 5, jobs: 100, every: 10)), ("foreground:20", .foreground(20)),
    ])
    func `a shape is read as it is written`(_ text: String, _ shape: ArrivalShape) {
        #expect(ArrivalShape(text) == shape)
    }

    @Test(arguments: ["", "x", "-1", "ramp:1", "steps:", "steps:1,x", "bursts:1,2", "bursts:1,2,0", "nan", "1,2"])
    func `what is no shape is refused`(_ text: String) { #expect(ArrivalShape(text) == nil) }
}
