import AMQP
import Delivery
import LocalStack
import Postgres

/// The fault as it happens, on a stage that is at work.
struct Strike: Sendable {
    /// How the fault was felt, and when nothing was to be published.
    struct Felt: Sendable {
        var effects: [String: Int] = [:]
        var holds: [CampaignHistory.Hold] = []
    }

    let fault: Fault
    let scale: CampaignScale
    let stage: ChaosStage
    let fleet: RelayFleet
    let load: HintLoad
    let schedule: FaultSchedule

    /// Returns when the fault is over; what it left undone may still be under way.
    func run() async throws -> Felt {
        guard try await stage.comesTrue(within: .seconds(20), isUnderWay) else {
            return Felt(effects: ["publishes before the fault": 0])
        }
        return switch fault {
        case .relaysKilled: try await killRelays()
        case .relayFrozen: try await freezeRelay()
        case .clockAhead, .clockBehind: try await measureClock()
        case .brokerStopped: try await stopBroker()
        case .brokerEmptied: try await emptyBroker()
        case .brokerFrozen: try await freezeBroker()
        case .memoryAlarm: try await raiseMemoryAlarm()
        case .confirmsLost: try await loseConfirms()
        case .queueFull: try await fillQueues()
        case .eventsRefused: try await refuseEvents()
        case .bindingRemoved: try await removeBinding()
        case .headersTooLarge: try await announceTooLargeHeaders()
        case .databaseRestarted: try await restartDatabase(after: min(scale.outage, ChaosStage.lease / 2))
        case .databaseAway: try await restartDatabase(after: ChaosStage.lease + .seconds(2))
        case .pooled: try await killBehindBouncer()
        case .sendersStopped: try await stopSenders()
        case .recorderStopped: try await stopRecorder()
        }
    }

    /// Senders take from every route and relays publish: who is struck earlier has nothing to do yet.
    private func isUnderWay() async throws -> Bool {
        for route in stage.routes {
            guard try await stage.counts(of: route.queue)?.consumers ?? 0 >= ChaosStage.copies else { return false }
        }
        return try await fleet.metric("publish_total") > 0
    }

    /// Waits that long while the load goes on.
    func hold(_ time: Duration) async throws { try await Task.sleep(for: time) }

    /// Waits for an effect that metrics count from here on, at most for `limit`; returns the count.
    func count(
        _ metric: String, within limit: Duration, during work: () async throws -> Void
    ) async throws -> Int {
        let before = try await fleet.metric(metric)
        try await work()
        var count = 0
        _ = try await stage.comesTrue(within: limit) {
            count = try await fleet.metric(metric) - before
            return count > 0
        }
        return count
    }

    var rounds: Range<Int> { 0..<scale.rounds(of: fault) }
}
