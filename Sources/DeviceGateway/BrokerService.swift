import AMQP
import Daemon

/// Keeps the publishing connection and tells readiness how it is. Ends after the gateway, whose last acks need it.
///
/// What waiting does not mend (password, virtual host, exchange) ends the process with one line if it shows before the
/// first connection; later it is a reason not to be ready.
struct BrokerService: Service {
    let name = "broker"
    let publisher: Publisher
    let condition: Readiness.Condition
    var interval: Duration = .seconds(1)

    func run() async throws {
        let publishing = Task { await publisher.run() }
        let failure = await watch()
        publishing.cancel()
        await publishing.value
        if let failure { throw failure }
    }

    private func watch() async -> CommandFailure? {
        var isFirst = true
        repeat {
            let fault = await fault()
            if let fault, isFirst, let failure = Self.failure(fault) { return failure }
            if let fault {
                condition.notReady("RabbitMQ: \(fault)")
            } else {
                condition.ready()
                isFirst = false
            }
            // Connecting takes some milliseconds: a start should not wait a whole interval for its first look.
        } while await Shutdown.current.sleep(for: isFirst ? min(interval, .milliseconds(50)) : interval)
        return nil
    }

    /// Nil when acks can be published.
    private func fault() async -> AMQPError? {
        if await publisher.isBlocked {
            return AMQPError(.refused, "it takes no messages at the moment (memory or disk alarm)")
        }
        do throws(AMQPError) {
            if try await publisher.exchangeExists("results") { return nil }
            return AMQPError(.missing, "exchange results is missing; run `mobile-delivery topology apply` first")
        } catch {
            return error
        }
    }

    static func failure(_ error: AMQPError) -> CommandFailure? {
        switch error.kind {
        case .malformedURL: CommandFailure(.configuration, "AMQP_URL: \(error)")
        case .wrongPassword, .accessRefused: CommandFailure(.noPermission, "AMQP_URL: \(error)")
        case .missing, .missingVirtualHost: CommandFailure(.systemFile, "AMQP_URL: \(error)")
        case .encryption: CommandFailure(.protocolError, "AMQP_URL: \(error)")
        case .unreachable, .timedOut, .refused, .lost, .stopped: nil
        }
    }
}
