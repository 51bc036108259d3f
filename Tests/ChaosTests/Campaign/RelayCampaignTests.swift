import LocalStack
import Testing

@testable import Chaos

/// A small round of every fault; `mobile-delivery-lab chaos relay` has the large ones.
@Suite(.sharedStage, .serialized, .timeLimit(.minutes(5))) struct RelayCampaignTests {
    /// Longer than a relay waits for a confirm.
    private static let scale = CampaignScale(rounds: 1, outage: .seconds(4), patience: .seconds(90))
    private static let several: [Fault: Int] = [
        .relaysKilled: 10, .confirmsLost: 3, .headersTooLarge: 5, .databaseRestarted: 2, .relayFrozen: 1,
    ]

    @Test(arguments: Fault.allCases)
    func `every promise holds under`(_ fault: Fault) async throws {
        var scale = Self.scale
        scale.rounds = Self.several[fault] ?? 1
        try await expectAllPromises(RelayCampaign(fault, scale: scale, seed: 1))
    }

    /// A fault under which a defect breaks a promise.
    struct Discovery: Sendable, CustomTestStringConvertible {
        let defect: PlantedDefect
        let fault: Fault
        var rounds = 1
        /// Long enough for leases to end where that is what it takes.
        var outage = Duration.seconds(2)
        var patience = Duration.seconds(5)
        let promise: Violation.Promise

        var testDescription: String { "\(defect.rawValue) under \(fault)" }
    }

    private static let discoveries = [
        Discovery(defect: .ignoresLeases, fault: .relaysKilled, promise: .hasOneHolder),
        Discovery(defect: .ignoresProof, fault: .queueFull, outage: .seconds(10), promise: .isNotSilent),
        Discovery(defect: .ignoresRecorders, fault: .databaseAway, rounds: 2, promise: .isBounded),
        Discovery(defect: .writesUnfenced, fault: .relayFrozen, patience: .seconds(20), promise: .hasOneHolder),
        Discovery(defect: .chargesRefusals, fault: .bindingRemoved, promise: .isNotCharged),
        Discovery(defect: .dropsUnknown, fault: .brokerEmptied, patience: .seconds(20), promise: .ends),
        Discovery(
            defect: .takesCrashesForSilences, fault: .relaysKilled, rounds: 5, patience: .seconds(20),
            promise: .isNotSilent),
        Discovery(defect: .dropsClaimedEvents, fault: .relaysKilled, rounds: 5, promise: .eventArrives),
    ]

    @Test(arguments: discoveries)
    func `a defect of the relay is found`(_ discovery: Discovery) async throws {
        let scale = CampaignScale(rounds: discovery.rounds, outage: discovery.outage, patience: discovery.patience)
        let stage = try #require(SharedStage.current)
        var texts: [String] = []
        // Whether a defect is felt is a matter of milliseconds, and chance may spare it once.
        for seed in 1...3 {
            let campaign = RelayCampaign(discovery.fault, scale: scale, seed: seed, defect: discovery.defect)
            let report = try await campaign.run(on: stage)
            if report.violations.contains(where: { $0.promise == discovery.promise }) { return }
            texts.append(report.text)
        }
        Issue.record("\(discovery) was not found:\n\(texts.joined(separator: "\n"))")
    }

    @Test func `no defect goes without a campaign that finds it`() {
        #expect(Set(Self.discoveries.map(\.defect)) == Set(PlantedDefect.allCases))
    }

    private func expectAllPromises(_ campaign: RelayCampaign) async throws {
        let stage = try #require(SharedStage.current)
        let report = try await campaign.run(on: stage)
        guard !report.hasPassed else { return }
        Issue.record("\(report.text)\n\(await stage.lastWords().joined(separator: "\n"))")
    }
}
