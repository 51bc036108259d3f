import Delivery
import Testing

@Suite struct RelayRepublishProofTests {
    private typealias Sight = RelayRepublishProof.Sight

    private let second: Int64 = 1_000_000

    /// What was answered at each second from `from` to `to`: an empty queue with a consumer, but for the `others`.
    private func sight(
        _ from: Int64 = 60, _ to: Int64 = 100, others: [Int64: (ready: Int, consumers: Int)] = [:],
        missing: ClosedRange<Int64> = 0...0
    ) -> Sight {
        var sight = Sight()
        for instant in from...to where !missing.contains(instant) {
            let answer = others[instant] ?? (0, 1)
            sight.seen(ready: answer.ready, consumers: answer.consumers, at: instant * second)
        }
        return sight
    }

    private func proof(
        route: Sight? = nil, outcomes: Sight? = nil, deadIndex: Sight? = nil, now: Int64 = 100
    ) -> RelayRepublishProof {
        RelayRepublishProof(
            route: route ?? sight(), outcomes: outcomes ?? sight(), deadIndex: deadIndex ?? sight(), now: now * second)
    }

    @Test func `what ended a margin ago is proven over and recorded`() {
        #expect(proof().proven == 70 * second)
        #expect(proof().recorded == 70 * second)
    }

    @Test func `the route's queue bounds what is proven and not what is recorded`() {
        let filled = sight(others: Dictionary(uniqueKeysWithValues: (66...100).map { ($0, (ready: 7, consumers: 1)) }))
        #expect(proof(route: filled).proven == 65 * second)
        #expect(proof(route: filled).recorded == 70 * second)
    }

    @Test func `a sender that has just come back has not dealt with what it took`() {
        let away = sight(
            60, 120, others: Dictionary(uniqueKeysWithValues: (70...99).map { ($0, (ready: 0, consumers: 0)) }))
        let steady = sight(60, 120)
        #expect(proof(route: away, outcomes: steady, deadIndex: steady, now: 120).proven == nil)
        let later = sight(
            60, 140, others: Dictionary(uniqueKeysWithValues: (70...99).map { ($0, (ready: 0, consumers: 0)) }))
        let longer = sight(60, 140)
        #expect(proof(route: later, outcomes: longer, deadIndex: longer, now: 140).proven == 110 * second)
    }

    @Test func `a route never seen empty with a consumer proves nothing`() {
        var never = Sight()
        never.seen(ready: 0, consumers: 0, at: 60 * second)
        never.seen(ready: 3, consumers: 1, at: 61 * second)
        #expect(proof(route: never).proven == nil)
        #expect(proof(route: never).recorded != nil && proof(route: never).stale != nil)
    }

    @Test func `an earlier empty sight still counts when the recorder's queue has filled since`() {
        let filled = sight(others: Dictionary(uniqueKeysWithValues: (66...100).map { ($0, (ready: 7, consumers: 1)) }))
        #expect(proof(outcomes: filled).recorded == 65 * second)
        #expect(proof(deadIndex: filled).proven == 65 * second)
    }

    @Test func `a recorder that stopped in between has not written what it took before`() {
        let paused = sight(others: [80: (ready: 0, consumers: 0)])
        #expect(proof(outcomes: paused).recorded == nil)
        #expect(proof(deadIndex: paused).proven == nil)
        #expect(proof(outcomes: sight(60, 115, others: [80: (0, 0)]), now: 115).recorded == 85 * second)
    }

    @Test func `nobody knows what happened while no answer came`() {
        let away = sight(missing: 80...86)
        #expect(proof(outcomes: away).recorded == nil)
        #expect(proof(outcomes: away).proven == nil)
        #expect(proof(outcomes: sight(missing: 80...82)).recorded == 70 * second)
        var lost = sight()
        lost.lost()
        #expect(proof(outcomes: lost).recorded == nil)
    }

    @Test func `a recorder seen for less than the margin proves nothing`() {
        #expect(proof(outcomes: sight(80, 100)).recorded == nil)
    }

    @Test func `without a consumer nothing goes stale`() {
        var good = Sight()
        good.seen(ready: 5, consumers: 1, at: 1)
        var lost = good
        lost.lost()
        #expect(proof(route: good, outcomes: good, deadIndex: good, now: 2000).stale == 200 * second)
        #expect(proof(route: good, outcomes: lost, deadIndex: good, now: 2000).stale == nil)
    }
}
