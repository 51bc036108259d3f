import Delivery
import DeviceFleet
import Testing

@Suite(.timeLimit(.minutes(2))) struct LossScenarioTests {
    @Test(arguments: LossScenario.allCases)
    func `R-27, R-49: whatever loses the hints, every job is complete at the end`(scenario: LossScenario) {
        for seed in 1...(scenario == .offline ? 1 : 5) {
            let report = scenario.run(seed: UInt64(seed))
            #expect(report.violations == [], "seed \(seed)")
            #expect(report.jobs > 0)
        }
    }

    @Test func `a phone that syncs by a cursor instead of the whole set leaves a job behind, and a scenario says so`() {
        let broken = LossScenario.missed.run(defects: [.syncsByCursor]).violations
        #expect(!broken.isEmpty)
    }
}
