import Testing

@testable import Sending

struct SuspicionBrakeTests {
    /// The number of the answer at which the brake trips, counted from 1.
    private func trips(window: Int = 100, minimum: Int = 10, _ answers: [Bool]) -> Int? {
        var brake = SuspicionBrake(window: window, minimum: minimum)
        return answers.firstIndex { brake.answered(suspicion: $0) }.map { $0 + 1 }
    }

    @Test func `nothing but suspicions trips it at the minimum`() {
        #expect(trips([Bool](repeating: true, count: 50)) == 10)
    }

    @Test func `a few suspicions among acceptances never trip it`() {
        #expect(trips((0..<2000).map { $0 % 3 == 0 }) == nil)
    }

    @Test func `half trips it once there are enough (fault 18)`() {
        #expect(trips((0..<100).map { $0 % 2 == 1 }) == 20)
    }

    @Test func `old answers leave the window`() {
        #expect(trips(window: 20, [Bool](repeating: false, count: 1000) + [Bool](repeating: true, count: 20)) == 1010)
    }

    @Test func `it starts anew after it tripped`() {
        var brake = SuspicionBrake(window: 100, minimum: 2)
        #expect(brake.answered(suspicion: true) == false)
        #expect(brake.answered(suspicion: true) == true)
        #expect(brake.answered(suspicion: true) == false)
    }
}
