import AMQP
import Daemon
import Postgres

/// Keeps database and broker connections and tells readiness how they are. Ends after the gateway, whose last answers
/// need them.
struct Surroundings: Service {
    let name = "connections"
    let database: Database
    let publisher: Publisher
    let databaseReady: Readiness.Condition
    let brokerReady: Readiness.Condition
    var interval: Duration = .seconds(1)

    func run() async throws {
        let publishing = Task { await publisher.run() }
        repeat {
            await look()
        } while await Shutdown.current.sleep(for: interval)
        publishing.cancel()
        await publishing.value
        await database.close()
    }

    private func look() async {
        do throws(PostgresError) {
            try await database.check(within: .seconds(2))
            databaseReady.ready()
        } catch {
            databaseReady.notReady("PostgreSQL: \(error)")
        }
        if await publisher.isBlocked {
            brokerReady.notReady("RabbitMQ takes no messages (memory or disk alarm)")
        } else if await publisher.isConnected {
            brokerReady.ready()
        } else {
            let reason = await publisher.lastFailure
            brokerReady.notReady("RabbitMQ: \(reason?.description ?? "not connected yet")")
        }
    }
}
