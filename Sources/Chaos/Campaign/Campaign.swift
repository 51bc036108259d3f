import Delivery

/// One trouble on a stage that is at work, and what came of it.
public protocol Campaign: Sendable {
    /// Tells it apart in a report of many: what befalls, with its seed where chance has a part.
    var title: String { get }

    /// Throws if the stage itself fails; broken promises are in the report.
    func run(on stage: ChaosStage) async throws -> CampaignReport
}

extension Campaign {
    /// The frame of every campaign: `work` makes the history of what begins now, then the stage is cleared for the next
    /// one, and the promises are checked against the history.
    func report(
        _ name: String, seed: Int, rounds: Int, allowance: Allowance, on stage: ChaosStage,
        cleanUp: () async -> Void = {}, _ work: (HistoryReader) async throws -> CampaignHistory
    ) async throws -> CampaignReport {
        let began = ContinuousClock.now
        let reader = try await HistoryReader.begin(on: stage)
        let history: CampaignHistory = try await cleaningUp {
            await cleanUp()
            try? await stage.clear()
        } after: {
            try await work(reader)
        }
        return CampaignReport(
            fault: name, seed: seed, rounds: rounds, took: .now - began,
            violations: ConservationCheck(allowance: allowance).violations(in: history), history: history)
    }

    /// Waits until every row has ended and no message is left: late copies too have to be told apart from the first
    /// before anybody counts.
    func waitForEnd(_ reader: HistoryReader, on stage: ChaosStage, within patience: Duration) async throws {
        _ = try await stage.comesTrue(within: patience) {
            guard try await reader.open() == 0 else { return false }
            return try await stage.hasEmptyQueues()
        }
    }
}
