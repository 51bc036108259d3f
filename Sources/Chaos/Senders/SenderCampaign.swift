import Delivery
import LocalStack
import Postgres

/// One trouble of the providers or of the configuration while senders are at work: when it is over, every hint has to
/// have been accepted and every token has to be in use.
public struct SenderCampaign: Campaign {
    public let trouble: ProviderTrouble
    /// At least so many are committed.
    public let hints: Int
    /// How long the trouble lasts, but for the storm, which lasts until every hint has its end.
    public let outage: Duration
    public let patience: Duration

    /// Hints of other routes take no longer, on a machine that does all this with two cores.
    private static let calmLimit = Duration.seconds(5)

    public init(
        _ trouble: ProviderTrouble, hints: Int, outage: Duration = .seconds(60), patience: Duration = .seconds(120)
    ) {
        self.trouble = trouble
        self.hints = hints
        self.outage = outage
        self.patience = patience
    }

    public var title: String { "\(trouble)" }

    public func run(on stage: ChaosStage) async throws -> CampaignReport {
        try await report(
            trouble.rawValue, seed: 0, rounds: 1, allowance: Allowance(), on: stage,
            cleanUp: { try? await stage.stack.control.follow(script: Self.nothing) }
        ) { reader in
            let fleet = try await RelayFleet.start([RelayFleet.Plan()], on: stage)
            return try await cleaningUp {
                await fleet.stop()
            } after: {
                try await history(stage, reader)
            }
        }
    }

    private func history(_ stage: ChaosStage, _ reader: HistoryReader) async throws -> CampaignHistory {
        let load = try await HintLoad.start(
            on: stage, name: "\(trouble)-\(reader.since.microseconds)", .keepingPhones,
            // About ten hints a second for the route that has the trouble.
            every: .milliseconds(trouble == .fewBadTokens ? 300 : 50))
        let watch = SenderWatch(stage, reader)
        let watching = Task { try await watch.run() }
        let course: Course = try await cleaningUp {
            await load.stop()
        } after: {
            let course = trouble == .storm ? try await storm(stage, load, reader) : try await strike(stage, load)
            if trouble != .storm { try await stage.stack.control.follow(script: Self.nothing) }
            return course
        }
        try await waitForEnd(reader, on: stage, within: patience)
        watching.cancel()
        _ = try? await watching.value
        var history = try await reader.read(devices: load.devices)
        history.memories = trouble == .storm ? await watch.memories : []
        history.effects = ["requests refused or unanswered": await reader.requests.all.count { $0.status != 200 }]
        if let from = course.from, let to = course.to {
            history.calms = [
                CampaignHistory.Calm(
                    devices: Set(load.devicesOfRoutes { !trouble.concerns($0) }), from: from, to: to,
                    limit: Self.calmLimit)
            ]
        }
        return history
    }

    /// When the trouble began and ended, by the database's clock.
    private struct Course {
        var from: Int64?
        var to: Int64?
    }

    private func strike(_ stage: ChaosStage, _ load: HintLoad) async throws -> Course {
        try await stage.stack.control.follow(script: trouble.script(turn: 0))
        let from = try await stage.now().microseconds
        if trouble == .badTokens { try await commit(load) }
        try await Task.sleep(for: outage)
        return Course(from: trouble == .badTokens ? nil : from, to: try await stage.now().microseconds)
    }

    /// Lasts until no hint is left.
    private func storm(_ stage: ChaosStage, _ load: HintLoad, _ reader: HistoryReader) async throws -> Course {
        let blowing = Task {
            var turn = 0
            while !Task.isCancelled {
                try await stage.stack.control.follow(script: trouble.script(turn: turn))
                turn += 1
                try await Task.sleep(for: .seconds(1))
            }
        }
        defer { blowing.cancel() }
        try await commit(load)
        await load.stop()
        _ = try await stage.comesTrue(within: outage + patience) { try await reader.open() == 0 }
        return Course()
    }

    private func commit(_ load: HintLoad) async throws {
        let burst = 25
        for _ in 0..<max(1, hints / (burst * load.hintsOfOneJobEach)) { try await load.burst(burst) }
    }

    private static let nothing = #"{"rules":[]}"#
}
