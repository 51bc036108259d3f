import Delivery
import Testing

@Suite struct RelayRepublishProofTests {
    private func sight(_ events: [(ready: Int, consumers: Int, at: Int64)]) -> RelayRepublishProof.Sight {
        var sight = RelayRepublishProof.Sight()
        for event in events { sight.seen(ready: event.ready, consumers: event.consumers, at: event.at) }
        return sight
    }

    private let second: Int64 = 1_000_000

    @Test func `the oldest of the three sights, less the margin, is proven`() {
        let proof = RelayRepublishProof(
            route: sight([(0, 1, 100 * second)]), outcomes: sight([(0, 1, 90 * second)]),
            deadIndex: sight([(0, 1, 95 * second)]), now: 101 * second)
        #expect(proof.proven == 60 * second)
    }

    @Test(arguments: [0, 1, 2])
    func `a queue never seen empty with a consumer proves nothing`(_ missing: Int) {
        var sights = [RelayRepublishProof.Sight](repeating: sight([(0, 1, 100 * second)]), count: 3)
        sights[missing] = sight([(0, 0, 100 * second), (3, 1, 101 * second)])
        let proof = RelayRepublishProof(
            route: sights[0], outcomes: sights[1], deadIndex: sights[2], now: 101 * second)
        #expect(proof.proven == nil)
        #expect(proof.stale != nil)
    }

    @Test func `an earlier empty sight still counts when the queue has filled since`() {
        let filled = sight([(0, 1, 100 * second), (7, 1, 130 * second)])
        let proof = RelayRepublishProof(route: filled, outcomes: filled, deadIndex: filled, now: 131 * second)
        #expect(proof.proven == 70 * second)
    }

    @Test func `without a consumer nothing goes stale`() {
        let good = sight([(5, 1, 1)])
        var lost = good
        lost.lost()
        #expect(
            RelayRepublishProof(route: good, outcomes: good, deadIndex: good, now: 2000 * second).stale == 200 * second)
        #expect(RelayRepublishProof(route: good, outcomes: lost, deadIndex: good, now: 2000 * second).stale == nil)
    }
}
