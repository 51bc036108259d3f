import Delivery
import LocalStack
import Postgres

/// One fault against relays at work: hints and events are committed all the time, the fault strikes, and in the end
/// every row has to have come to the end that the promises name.
public struct RelayCampaign: Campaign {
    public let fault: Fault
    public let scale: CampaignScale
    public let seed: Int
    /// A defect put into the relay's statements, to see that the campaign finds it.
    public let defect: PlantedDefect?

    public init(_ fault: Fault, scale: CampaignScale, seed: Int, defect: PlantedDefect? = nil) {
        self.fault = fault
        self.scale = scale
        self.seed = seed
        self.defect = defect
    }

    public var title: String { "\(fault) (seed \(seed))" }

    public func run(on stage: ChaosStage) async throws -> CampaignReport {
        let planted = try await defect?.plant(in: stage.database)
        return try await report(
            fault.rawValue, seed: seed, rounds: scale.rounds(of: fault), allowance: fault.allowance, on: stage,
            cleanUp: { try? await planted?.remove(from: stage.database) }
        ) { reader in
            try await history(stage, reader)
        }
    }

    private func history(_ stage: ChaosStage, _ reader: HistoryReader) async throws -> CampaignHistory {
        let bouncer = fault == .pooled ? try await stage.startBouncer(connections: Strike.pooledConnections) : nil
        return try await cleaningUp {
            await bouncer?.stop()
        } after: {
            let fleet = try await RelayFleet.start(fault.relays(bouncer: bouncer?.port), on: stage)
            return try await cleaningUp {
                await fleet.stop()
            } after: {
                try await history(stage, fleet, reader)
            }
        }
    }

    private func history(
        _ stage: ChaosStage, _ fleet: RelayFleet, _ reader: HistoryReader
    ) async throws -> CampaignHistory {
        let load = try await HintLoad.start(on: stage, name: "\(fault)-\(reader.since.microseconds)")
        let strike = Strike(
            fault: fault, scale: scale, stage: stage, fleet: fleet, load: load,
            schedule: FaultSchedule(
                seed: seed, rounds: scale.rounds(of: fault), relays: await fleet.members.count))
        let felt = try await cleaningUp {
            await load.stop()
        } after: {
            try await strike.run()
        }
        try await waitForEnd(reader, on: stage, within: scale.patience)
        var history = try await reader.read(devices: load.devices)
        history.gone = await load.gone
        history.effects = felt.effects
        history.holds = felt.holds
        return history
    }
}
