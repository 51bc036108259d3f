import Chaos
import FoundationEssentials
import LocalStack
import TestSupport
import Testing

/// A small round of every trouble; `mobile-delivery-lab chaos devices` has the large ones.
@Suite(.serialized, .timeLimit(.minutes(5))) struct DeviceCampaignTests {
    @Test func `R-62: however devices wake, are slow or die, one of them does the fan-out and every job has its end`()
        async throws
    {
        let stage = try await DeviceStage.start(
            under: ProcessInfo.processInfo.environment["TMPDIR"] ?? "/tmp",
            try Programs.besideThisOne(topology: "\(Repository.root)/topology"))
        do {
            for trouble in DeviceTrouble.allCases {
                var campaign = DeviceCampaign(trouble)
                campaign.rounds = 10
                let report = try await campaign.run(on: stage)
                if !report.hasPassed {
                    Issue.record("\(report.text)\n\(await stage.lastWords().joined(separator: "\n"))")
                }
            }
        } catch {
            Issue.record("\(error)\n\(await stage.lastWords().joined(separator: "\n"))")
        }
        try await stage.stop()
    }
}
