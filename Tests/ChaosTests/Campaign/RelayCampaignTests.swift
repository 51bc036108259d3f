import LocalStack
import Testing

@testable import Chaos

/// A small round of every fault; `mobile-delivery-lab chaos relay` has the large ones.
@Suite(.sharedStage, .serialized, .timeLimit(.minutes(5))) struct RelayCampaignTests {
    /// Longer than a relay waits for a confirm.
    private static let scale = CampaignScale(rounds: 1, outage: .seconds(4), patience: .seconds(40))
    private static let several: [Fault: Int] = [
        .relaysKilled: 10, .confirmsLost: 3, .headersTooLarge: 5, .databaseRestarted: 2, .relayFrozen: 1,
    ]

    @Test(arguments: Fault.allCases)
    func `every promise holds under`(_ fault: Fault) async throws {
        var scale = Self.scale
        scale.rounds = Self.several[fault] ?? 1
        try await expectAllPromises(RelayCampaign(fault, scale: scale, seed: 1))
    }

    @Test(arguments: [
        (PlantedDefect.ignoresLeases, Fault.relaysKilled, Violation.Promise.hasOneHolder),
        (.chargesRefusals, .bindingRemoved, .isNotCharged),
        (.ignoresRecorders, .databaseAway, .isBounded),
    ])
    func `a defect of the relay is found`(
        _ defect: PlantedDefect, _ fault: Fault, _ promise: Violation.Promise
    ) async throws {
        let scale = CampaignScale(rounds: 1, outage: .seconds(2), patience: .seconds(5))
        let stage = try #require(SharedStage.current)
        let report = try await RelayCampaign(fault, scale: scale, seed: 1, defect: defect).run(on: stage)
        #expect(report.violations.contains { $0.promise == promise }, "\(report.text)")
    }

    private func expectAllPromises(_ campaign: RelayCampaign) async throws {
        let stage = try #require(SharedStage.current)
        let report = try await campaign.run(on: stage)
        guard !report.hasPassed else { return }
        Issue.record("\(report.text)\n\(await stage.lastWords().joined(separator: "\n"))")
    }
}
