import Delivery
import Testing

@Suite struct RelayBreakerTests {
    private let start = ContinuousClock.now

    @Test func `a closed breaker lets everything through`() {
        var breaker = RelayBreaker()
        #expect(breaker.allowance(of: 100, at: start) == 100)
        let admission = breaker.admit(at: start)
        #expect(admission == .publish)
    }

    @Test func `each refused probe doubles the wait up to the longest`() {
        var breaker = RelayBreaker()
        var now = start
        var waits: [Duration] = []
        for _ in 0..<7 {
            let wait = breaker.refused(at: now)
            waits.append(wait)
            now += wait
            let admission = breaker.admit(at: now)
            #expect(admission == .publish)
        }
        #expect(waits == [1, 2, 4, 8, 16, 30, 30].map { .seconds($0) })
    }

    @Test func `refusals of one volley count once`() {
        var breaker = RelayBreaker()
        let waits = (0..<5).map { breaker.refused(at: start + .milliseconds(100 * $0)) }
        #expect(waits == [1000, 900, 800, 700, 600].map { .milliseconds($0) })
    }

    @Test func `an open breaker admits one probe at its time`() {
        var breaker = RelayBreaker()
        _ = breaker.refused(at: start)
        #expect(breaker.allowance(of: 100, at: start) == 0)
        let now = start + .seconds(1)
        #expect(breaker.allowance(of: 100, at: now) == 1)
        let admissions = [breaker.admit(at: now), breaker.admit(at: now)]
        #expect(admissions == [.publish, .wait(.seconds(1))])
        #expect(breaker.allowance(of: 100, at: now) == 0)
    }

    @Test func `a confirmed probe closes it, one from before does not`() {
        var breaker = RelayBreaker()
        _ = breaker.refused(at: start)
        breaker.confirmed()
        #expect(breaker.isOpen)
        _ = breaker.admit(at: start + .seconds(1))
        breaker.confirmed()
        #expect(!breaker.isOpen)
        let wait = breaker.refused(at: start)
        #expect(wait == .seconds(1))
    }

    @Test func `a probe without a word makes room for another`() {
        var breaker = RelayBreaker()
        _ = breaker.refused(at: start)
        let now = start + .seconds(1)
        _ = breaker.admit(at: now)
        breaker.undecided()
        let admission = breaker.admit(at: now)
        #expect(admission == .publish)
    }
}
