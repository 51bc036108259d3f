import Testing

@testable import Chaos

/// A small round of every trouble; `mobile-delivery-lab chaos senders` has the large ones.
@Suite(.sharedStage, .serialized, .timeLimit(.minutes(5))) struct SenderCampaignTests {
    @Test(arguments: ProviderTrouble.allCases)
    func `every hint is accepted and every token stays through`(_ trouble: ProviderTrouble) async throws {
        let stage = try #require(SharedStage.current)
        let hints = trouble == .storm ? 5000 : 1000
        let campaign = SenderCampaign(trouble, hints: hints, outage: .seconds(6), patience: .seconds(60))
        let report = try await campaign.run(on: stage)
        guard !report.hasPassed else { return }
        Issue.record("\(report.text)\n\(await stage.lastWords().joined(separator: "\n"))")
    }
}
