import Testing

@testable import Chaos

/// A small round; `mobile-delivery-lab chaos replay` has the large one.
@Suite(.sharedStage, .serialized, .timeLimit(.minutes(5))) struct ReplayCampaignTests {
    @Test func `a thousand dead hints and some messages survive a replayer that is killed again and again`()
        async throws
    {
        let stage = try #require(SharedStage.current)
        // The rate is that of the large round's business: here a stall of half a second is a quarter of a life.
        let campaign = ReplayCampaign(
            hints: 1000, kills: 3, rate: 200, tolerance: 0.4, judgesSlowness: false, messages: 300,
            patience: .seconds(90))
        let report = try await campaign.run(on: stage)
        guard !report.hasPassed else { return }
        Issue.record("\(report.text)\n\(await stage.lastWords().joined(separator: "\n"))")
    }
}
