import AMQP
import Daemon
import Postgres
import Synchronization

/// What the relay needs to be ready: a broker with its queues that takes messages, claims that succeed, and no
/// destination that has refused for long.
final class RelayConditions: Sendable {
    private struct State {
        var missingQueues: Set<String> = []
        var blockedSince: ContinuousClock.Instant?
        var claimsFailSince: ContinuousClock.Instant?
        var openSince: [String: ContinuousClock.Instant] = [:]
    }

    private let broker: Readiness.Condition
    private let claims: Readiness.Condition
    private let destinations: Readiness.Condition
    private let state = Mutex(State())

    init(_ readiness: Readiness) {
        broker = readiness.condition("broker", waitingFor: "waiting for RabbitMQ")
        claims = readiness.condition("claims", waitingFor: "waiting for the first claim")
        destinations = readiness.condition("destinations", waitingFor: "waiting for the first question")
    }

    func queue(_ name: String, exists: Bool) {
        state.withLock { state in
            if exists { state.missingQueues.remove(name) } else { state.missingQueues.insert(name) }
        }
    }

    func brokerAnswered(isBlocked: Bool, since now: ContinuousClock.Instant, _ limit: Duration) {
        let reason: String? = state.withLock { state in
            state.blockedSince = isBlocked ? state.blockedSince ?? now : nil
            if let missing = state.missingQueues.min() {
                return "queue \(missing) is missing; run `mobile-delivery topology apply`"
            }
            if let since = state.blockedSince, now - since > limit { return "the broker takes no messages" }
            return nil
        }
        if let reason { broker.notReady(reason) } else { broker.ready() }
    }

    func brokerFailed(_ error: AMQPError) { broker.notReady(error.description) }

    func claimSucceeded() {
        state.withLock { $0.claimsFailSince = nil }
        claims.ready()
    }

    func claimFailed(_ error: PostgresError, for limit: Duration) {
        let now = ContinuousClock.now
        let since = state.withLock { state in
            let since = state.claimsFailSince ?? now
            state.claimsFailSince = since
            return since
        }
        if now - since > limit || error.isConfigurationFault { claims.notReady(error.description) }
    }

    func judge(breakersOpen: [String], now: ContinuousClock.Instant, limit: Duration) {
        let long: String? = state.withLock { state in
            state.openSince = Dictionary(
                uniqueKeysWithValues: breakersOpen.map { ($0, state.openSince[$0] ?? now) })
            return state.openSince.filter { now - $0.value > limit }.keys.min()
        }
        if let long { destinations.notReady("\(long) refuses messages") } else { destinations.ready() }
    }
}
