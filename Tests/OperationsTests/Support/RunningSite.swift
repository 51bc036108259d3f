import AMQP
import Daemon
import Delivery
import OutboxRelay
import Postgres
import Synchronization
import TestSupport

@testable import Operations

/// An operator's database with a broker that has the queues of its routes and a consumer on each, and relays at will.
struct RunningSite {
    let fixture: OperatorFixture
    private let host: ScratchVirtualHost
    private let questions: BrokerQuestions

    static func with(_ body: (RunningSite) async throws -> Void) async throws {
        try await OperatorFixture.with { fixture in
            try await withScratchVirtualHost(routes: [OperatorFixture.apns.queue, OperatorFixture.fcm.queue]) { host in
                let settings = try AMQP.ConnectionSettings(url: host.amqpURL)
                let site = RunningSite(
                    fixture: fixture, host: host, questions: BrokerQuestions(settings, limit: .seconds(30)))
                // A route without a consumer is not asked; these take one message each and keep it.
                let consumers = [OperatorFixture.apns.queue, OperatorFixture.fcm.queue, "coordinator.events"].map {
                    Consumer(settings, queue: $0, name: "test/\($0)", prefetch: PrefetchPolicy(maximum: 1))
                }
                let running = consumers.map { consumer in Task { await consumer.run() } }
                do {
                    try await body(site)
                } catch {
                    for task in running { task.cancel() }
                    throw error
                }
                for task in running { task.cancel() }
                for task in running { await task.value }
                await site.questions.close()
            }
        }
    }

    /// One relay as its command runs it, with its log.
    final class RunningRelay: Sendable {
        private let lines = Mutex<[LogLine]>([])

        func note(_ line: LogLine) { lines.withLock { $0.append(line) } }

        /// Whether the relay said of that route that it is paused by hand.
        func isPaused(_ route: String) -> Bool {
            lines.withLock { $0.contains { $0.message == "route paused by hand" && $0.encoded().contains(route) } }
        }
    }

    func withRelay(_ body: (RunningRelay) async throws -> Void) async throws {
        let relay = RunningRelay()
        let database = Database(try fixture.scratch.settings(as: "md_relay"), connections: 3)
        let service = BrokerService(
            try AMQP.ConnectionSettings(url: host.amqpURL), instance: "test", metrics: Metrics())
        var configuration = Configuration()
        configuration.askEvery = .milliseconds(50)
        let actor = Relay(
            database: database, broker: service, configuration: configuration, metrics: Metrics(),
            readiness: Daemon.Readiness())
        let stop = Shutdown()
        let running = Log.$sink.withValue({ relay.note($0) }) {
            Task { try? await ServiceGroup([service, actor], stopWithin: .seconds(30)).run(until: stop) }
        }
        do {
            try await body(relay)
        } catch {
            stop.request()
            await running.value
            await database.close()
            throw error
        }
        stop.request()
        await running.value
        await database.close()
    }

    /// Hints of a route that the broker confirmed.
    func published(_ route: Route) async throws -> Int {
        try await fixture.admin.query(
            """
            SELECT count(*) AS n FROM delivery.due d JOIN delivery.route_state r USING (route)
            WHERE d.published_at IS NOT NULL AND r.provider = \(route.provider.rawValue)
            """
        ).one()["n"]
    }

    func comes(to count: Int, publishedOf route: Route) async throws -> Bool {
        try await eventually(within: .seconds(30)) { try await published(route) == count }
    }

    /// As an operator asks.
    func ask(_ queues: [String]) async -> BrokerAnswer { await questions.ask(queues) }
}
