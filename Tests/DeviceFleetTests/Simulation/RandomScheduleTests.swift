import DeviceFleet
import Testing

@Suite(.timeLimit(.minutes(5))) struct RandomScheduleTests {
    @Test func `R-47: a thousand random histories with crashes keep every promise`() async {
        let report = await ScheduleCampaign(seed: 1, count: 1_000).run()
        for broken in report.broken { Issue.record("seed \(broken.seed): \(broken.violations)") }
        #expect(report.schedules == 1_000 && report.requests > 10_000)
    }

    @Test func `a seed is a history: the same again to the last request, and another with another seed`() {
        for seed in [UInt64(4), 9, 12] {
            let first = RandomSchedule(seed: seed).run()
            #expect(first.requests > 20)
            #expect(RandomSchedule(seed: seed).run() == first)
            #expect(RandomSchedule(seed: seed + 1).run().trace != first.trace)
        }
    }

    @Test(arguments: [
        (PlantedDefect.acknowledgesBeforeSync, "I-10"), (.encryptsAgain, "I-10b"), (.syncsByCursor, "liveness"),
        (.forgetsExplanation, "I-22"), (.fetchesOthers, "I-21"), (.showsJob, "I-6"), (.replacesWork, "I-21"),
        (.acknowledgesBeforeSubmit, "I-19"),
    ])
    func `a planted bug is noticed, by the promise that it breaks`(defect: PlantedDefect, promise: String) async {
        var campaign = ScheduleCampaign(seed: 1, count: 1_000)
        campaign.defects = [defect]
        campaign.stopsEarly = true
        let report = await campaign.run()
        let violations = report.broken.flatMap(\.violations)
        #expect(violations.contains { $0.hasPrefix("\(promise):") || $0.hasPrefix("\(promise)b:") }, "\(violations)")
    }

    @Test func `every bug can be planted`() { #expect(PlantedDefect.allCases.count == 8) }
}
