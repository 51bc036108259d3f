import AMQP
import Daemon

/// The first contact with the broker: waits for it, and ends the process with one line for what waiting does not mend.
/// Whatever happens later is retried.
struct BrokerStart: Sendable {
    let publisher: Publisher
    /// Without the password.
    let address: String

    func wait() async throws(CommandFailure) {
        repeat {
            do throws(AMQPError) {
                if await publisher.isConnected { return try await check() }
                if let failure = await publisher.lastFailure { throw failure }
            } catch {
                try endIfLasting(error)
            }
        } while await Shutdown.current.sleep(for: .milliseconds(50))
    }

    private func check() async throws(AMQPError) {
        for exchange in ["hints", "events", "dead"] {
            guard try await publisher.exchangeExists(exchange) else { throw missing("exchange \(exchange)") }
        }
        for queue in [QueueName.outcomes, QueueName.deadIndex] {
            guard try await publisher.counts(of: queue) != nil else { throw missing("queue \(queue)") }
        }
    }

    private func missing(_ what: String) -> AMQPError { AMQPError(.missing, "\(what) is missing in \(address)") }

    private func endIfLasting(_ error: AMQPError) throws(CommandFailure) {
        switch error.kind {
        case .missing: throw CommandFailure(.systemFile, "\(error); run `mobile-delivery topology apply` first")
        case .missingVirtualHost:
            throw CommandFailure(.systemFile, "\(error), or run `mobile-delivery topology apply` first")
        case .wrongPassword, .accessRefused: throw CommandFailure(.noPermission, "\(error); correct AMQP_URL")
        case .encryption: throw CommandFailure(.configuration, "\(error); correct the ca of AMQP_URL")
        case .malformedURL: throw CommandFailure(.configuration, "AMQP_URL: \(error)")
        case .unreachable, .timedOut, .refused, .lost, .stopped: return
        }
    }
}
