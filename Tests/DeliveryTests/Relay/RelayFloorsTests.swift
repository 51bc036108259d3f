import Delivery
import Testing

@Suite struct RelayFloorsTests {
    private let start = ContinuousClock.now
    private let slack: Int64 = 250_000

    @Test func `the first claim and one an interval sweep from the bottom`() {
        var floors = RelayFloors()
        let first = floors.next(at: start)
        floors.claimed([], limit: 100, begun: 10_000_000)
        let second = floors.next(at: start + .milliseconds(500))
        let third = floors.next(at: start + .seconds(1))
        #expect(first.allSatisfy { $0 == 0 } && third.allSatisfy { $0 == 0 })
        #expect(second.allSatisfy { $0 == 10_000_000 - slack })
    }

    @Test func `a long sweep is made more seldom`() {
        var floors = RelayFloors()
        _ = floors.next(at: start)
        floors.claimed([], limit: 100, begun: 10_000_000, took: .milliseconds(200))
        let early = floors.next(at: start + .milliseconds(3999))
        let late = floors.next(at: start + .milliseconds(4000))
        #expect(early.allSatisfy { $0 > 0 })
        #expect(late.allSatisfy { $0 == 0 })
    }

    @Test func `a full claim lifts only the shares it took from`() {
        var floors = RelayFloors()
        _ = floors.next(at: start)
        floors.claimed([], limit: 100, begun: 1_000_000)
        _ = floors.next(at: start)
        floors.claimed([(share: 3, dueAt: 5_000_000), (share: 3, dueAt: 4_000_000)], limit: 2, begun: 9_000_000)
        let next = floors.next(at: start)
        #expect(next[3] == 5_000_000 - slack)
        #expect(next[4] == 1_000_000 - slack)
    }

    @Test func `after a full sweep the next claim goes on where it stopped`() {
        var floors = RelayFloors()
        _ = floors.next(at: start)
        floors.claimed([], limit: 100, begun: 9_000_000)
        _ = floors.next(at: start + .seconds(1))
        floors.claimed([(share: 3, dueAt: 2_000_000)], limit: 1, begun: 10_000_000)
        let next = floors.next(at: start + .seconds(1))
        #expect(next[3] == 2_000_000 - slack)
        #expect(next[4] == 9_000_000 - slack)
    }

    @Test(arguments: [false, true])
    func `a full claim that looked at every share need not look again where nothing was`(_ isSweep: Bool) {
        var floors = RelayFloors()
        _ = floors.next(at: start)
        floors.claimed([], limit: 100, begun: 1_000_000)
        _ = floors.next(at: isSweep ? start + .seconds(1) : start)
        let taken = [(share: Int, dueAt: Int64)](repeating: (share: 3, dueAt: 5_000_000), count: 64)
        floors.claimed(taken, limit: 64, begun: 9_000_000)
        let next = floors.next(at: start + .milliseconds(isSweep ? 1500 : 500))
        #expect(next[3] == 5_000_000 - slack)
        #expect(next[4] == 9_000_000 - slack)
    }
}
