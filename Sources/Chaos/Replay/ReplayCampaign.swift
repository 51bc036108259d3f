import Delivery
import LocalStack
import Postgres

/// Dead hints and other dead messages are replayed while the replayer is killed again and again: every hint is re-armed
/// once and accepted once, those of cancelled jobs stay as they ended, no message is lost, and the rate holds.
public struct ReplayCampaign: Campaign {
    /// At least so many hints are replayed.
    public let hints: Int
    /// How often the replayer of the hints is killed, and then that of the messages.
    public let kills: Int
    /// Letters a second.
    public let rate: Int
    /// How far the rate between two kills may be off.
    public let tolerance: Double
    /// Whether a rate that is too low counts, too.
    public let judgesSlowness: Bool
    /// Messages that are no hints.
    public let messages: Int
    public let patience: Duration

    public init(
        hints: Int, kills: Int, rate: Int, tolerance: Double = 0.1, judgesSlowness: Bool = true, messages: Int = 2000,
        patience: Duration = .seconds(300)
    ) {
        self.hints = hints
        self.kills = kills
        self.rate = rate
        self.tolerance = tolerance
        self.judgesSlowness = judgesSlowness
        self.messages = messages
        self.patience = patience
    }

    public var title: String { "replay" }

    public func run(on stage: ChaosStage) async throws -> CampaignReport {
        try await report("replay", seed: 0, rounds: kills, allowance: Allowance(), on: stage) { reader in
            let dead = try await DeadHints.make(hints, on: stage, name: "replay-\(reader.since.microseconds)")
            let fleet = try await RelayFleet.start([RelayFleet.Plan()], on: stage)
            return try await cleaningUp {
                await fleet.stop()
            } after: {
                try await history(stage, reader, dead)
            }
        }
    }

    private func history(
        _ stage: ChaosStage, _ reader: HistoryReader, _ dead: DeadHints
    ) async throws -> CampaignHistory {
        try await waitForEnd(reader, on: stage, within: patience)
        let replayer = Replayer(stage: stage)
        // The simulator forgets what nobody asks for.
        let collecting = Task {
            while !Task.isCancelled {
                try await reader.requests.collect()
                try await Task.sleep(for: .seconds(1))
            }
        }
        let segments = try await replayer.run(
            ["--reason", "exhausted", "--rate", "\(rate)"], counter: "rows", of: dead.replayable, kills: kills)
        try await waitForEnd(reader, on: stage, within: patience)
        collecting.cancel()
        _ = try? await collecting.value
        let buried = try await BuriedMessages.bury(messages, on: stage)
        let messageSegments = try await replayer.run(
            ["--queue", BuriedMessages.queue], counter: "messages", of: messages, kills: min(kills, 10))
        try await replayer.sweep()
        var history = try await reader.read(devices: dead.devices)
        history.deadLetters.removeAll { $0.reason == "exhausted" || $0.isEvent }
        try await dead.check(&history, on: stage)
        history.replay = CampaignHistory.Replay(
            limit: rate, tolerance: tolerance, judgesSlowness: judgesSlowness,
            rates: try await replayer.rates(of: segments, limit: rate),
            rearmedTwice: try await dead.rearmedTwice(on: stage),
            lostMessages: try await buried.lost(on: stage), leftCopies: try await dead.leftCopies(on: stage))
        history.effects = [
            "kills": segments.count(where: \.wasKilled),
            "kills among messages": messageSegments.count(where: \.wasKilled),
            "slowest and fastest": Int(history.replay?.rates.min() ?? 0), "to": Int(history.replay?.rates.max() ?? 0),
        ]
        return history
    }
}
