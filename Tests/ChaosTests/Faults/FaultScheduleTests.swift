import Testing

@testable import Chaos

@Suite struct FaultScheduleTests {
    @Test func `the same seed strikes at the same points`() {
        #expect(FaultSchedule(seed: 7, rounds: 50, relays: 3) == FaultSchedule(seed: 7, rounds: 50, relays: 3))
        #expect(FaultSchedule(seed: 7, rounds: 50, relays: 3) != FaultSchedule(seed: 8, rounds: 50, relays: 3))
    }

    @Test(arguments: [1, 4, 5, 6, 200])
    func `every step has its turn`(_ rounds: Int) {
        let strokes = FaultSchedule(seed: 1, rounds: rounds, relays: 3).strokes
        #expect(strokes.count == rounds)
        #expect(Set(strokes.map(\.step)).count == min(rounds, FaultSchedule.Step.allCases.count))
    }

    @Test func `every relay is struck, and none that is not there`() {
        #expect(Set(FaultSchedule(seed: 1, rounds: 200, relays: 3).strokes.map(\.relay)) == [0, 1, 2])
    }
}
