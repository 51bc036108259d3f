import AMQP
import Daemon

/// Keeps the publishing connection and tells readiness how it is. Ends after the gateway, whose last acks need it.
struct BrokerService: Service {
    let name = "broker"
    let publisher: Publisher
    let condition: Readiness.Condition
    var interval: Duration = .seconds(1)

    func run() async throws {
        let publishing = Task { await publisher.run() }
        repeat {
            await look()
        } while await Shutdown.current.sleep(for: interval)
        publishing.cancel()
        await publishing.value
    }

    private func look() async {
        if await publisher.isBlocked {
            condition.notReady("RabbitMQ takes no messages (memory or disk alarm)")
        } else if await publisher.isConnected {
            condition.ready()
        } else {
            let reason = await publisher.lastFailure
            condition.notReady("RabbitMQ: \(reason?.description ?? "not connected yet")")
        }
    }
}
