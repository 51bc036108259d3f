import AMQP
import Daemon
import Delivery
import Postgres
import TestSupport

@testable import OutboxRelay

/// One relay as its command runs it, stopped when `body` returns.
struct RunningRelay {
    let publisher: Publisher
    let readiness: Daemon.Readiness
    let metrics: Metrics
    private let stop = Shutdown()
    private let running: Task<Void, Never>

    /// With intervals short enough for tests.
    static var quick: Configuration {
        var configuration = Configuration()
        configuration.askEvery = .milliseconds(50)
        configuration.breakerFirst = .milliseconds(100)
        configuration.measureEvery = .seconds(1)
        return configuration
    }

    init(_ outbox: OutboxFixture, amqpURL: String, configuration: Configuration) throws {
        let metrics = Metrics()
        let readiness = Readiness()
        let service = BrokerService(
            try AMQP.ConnectionSettings(url: amqpURL), instance: "test", metrics: metrics)
        let relay = Relay(
            database: outbox.database, broker: service, configuration: configuration, metrics: metrics,
            readiness: readiness)
        let stop = stop
        publisher = service.publisher
        self.readiness = readiness
        self.metrics = metrics
        running = Task {
            try? await ServiceGroup([service, relay], stopWithin: .seconds(30)).run(until: stop)
        }
    }

    /// As SIGTERM does.
    func end() async {
        stop.request()
        await running.value
    }

    /// What the metrics say of a counter, for example `publish_total{result="confirmed"}`.
    func count(_ line: String) -> Int {
        let prefix = "mobile_delivery_relay_\(line) "
        let found = metrics.exposition().split(separator: "\n").first { $0.hasPrefix(prefix) }
        return found.flatMap { Int($0.dropFirst(prefix.count)) } ?? 0
    }
}

/// An outbox, a virtual host with the topology and the route's queue, and helpers around them.
struct RelayStage {
    let outbox: OutboxFixture
    let host: ScratchVirtualHost
    static let queue = OutboxFixture.apnsRoute.queue

    static func with(
        devices: Int = 1, configuration: Configuration = RunningRelay.quick, _ body: (RelayStage) async throws -> Void
    ) async throws {
        try await OutboxFixture.with(devices: devices, configuration: configuration) { outbox in
            try await withScratchVirtualHost(routes: [queue, OutboxFixture.fcmRoute.queue]) { host in
                try await body(RelayStage(outbox: outbox, host: host))
            }
        }
    }

    func withRelay(
        _ configuration: Configuration = RunningRelay.quick, through url: String? = nil,
        _ body: (RunningRelay) async throws -> Void
    ) async throws {
        let relay = try RunningRelay(outbox, amqpURL: url ?? host.amqpURL, configuration: configuration)
        do {
            try await body(relay)
        } catch {
            await relay.end()
            throw error
        }
        await relay.end()
    }

    /// A consumer on a queue while `body` runs; it acknowledges nothing by itself.
    func withConsumer(
        of queue: String = RelayStage.queue, prefetch: UInt16 = 1000, _ body: (Consumer) async throws -> Void
    ) async throws {
        let consumer = Consumer(
            try AMQP.ConnectionSettings(url: host.amqpURL), queue: queue, name: "test",
            prefetch: PrefetchPolicy(maximum: prefetch))
        let running = Task { await consumer.run() }
        do {
            try await body(consumer)
        } catch {
            running.cancel()
            throw error
        }
        running.cancel()
        await running.value
    }

    func dueRows(_ condition: String) async throws -> Int {
        Int(
            try await outbox.admin.query("SELECT count(*) AS n FROM delivery.due WHERE \(unescaped: condition)")
                .one().get("n", as: Int64.self))
    }

    func eventuallyDue(_ condition: String, _ count: Int) async throws -> Bool {
        try await eventually(within: .seconds(20)) { try await dueRows(condition) == count }
    }
}
