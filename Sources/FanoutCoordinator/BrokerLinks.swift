import AMQP
import Daemon
import Synchronization

/// Keeps the condition `broker` true to what the two connections report.
final class BrokerLinks: Sendable {
    enum Role: String {
        case publishing
        case consuming
    }

    private let condition: Readiness.Condition
    private let down: Mutex<[Role: String]>

    init(_ readiness: Readiness, address: String) {
        let reason = "waiting for RabbitMQ at \(address)"
        condition = readiness.condition("broker", waitingFor: reason)
        down = Mutex([.publishing: reason, .consuming: reason])
    }

    func report(_ event: LinkEvent, of role: Role) {
        let reason = down.withLock { down -> String? in
            switch event {
            case .connected: down[role] = nil
            case .lost(let error, _): down[role] = error.description
            }
            return down.values.first
        }
        if let reason { condition.notReady(reason) } else { condition.ready() }
    }
}

/// Waits for the broker at the start, and ends the process with one line for what waiting does not mend.
struct BrokerStart: Sendable {
    let publisher: Publisher
    let address: String

    func wait() async throws(CommandFailure) {
        while !Shutdown.current.isRequested {
            do throws(AMQPError) {
                if await publisher.isConnected { return try await check() }
                if let failure = await publisher.lastFailure { try Self.throwIfLasting(failure) }
            } catch {
                try endIfLasting(error)
            }
            _ = await Shutdown.current.sleep(for: .milliseconds(50))
        }
    }

    private func check() async throws(AMQPError) {
        guard try await publisher.counts(of: "coordinator.events") != nil else {
            throw Self.missing("queue coordinator.events")
        }
        for exchange in ["downstream", "dead"] {
            guard try await publisher.exchangeExists(exchange) else { throw Self.missing("exchange \(exchange)") }
        }
    }

    private static func missing(_ what: String) -> AMQPError { AMQPError(.missing, "\(what) is missing") }

    private static func throwIfLasting(_ error: AMQPError) throws(AMQPError) {
        if [.wrongPassword, .missingVirtualHost, .accessRefused, .encryption].contains(error.kind) { throw error }
    }

    private func endIfLasting(_ error: AMQPError) throws(CommandFailure) {
        switch error.kind {
        case .missing, .missingVirtualHost:
            throw CommandFailure(.systemFile, "\(error) at \(address); run `mobile-delivery topology apply` first")
        case .wrongPassword, .accessRefused:
            throw CommandFailure(.noPermission, "\(error) at \(address); is AMQP_URL that of user coordinator?")
        case .encryption:
            throw CommandFailure(.configuration, "\(error) at \(address); check the ca of AMQP_URL")
        case .malformedURL, .unreachable, .timedOut, .refused, .lost, .stopped: return
        }
    }
}
