public import AMQP
public import Daemon
public import Postgres

/// Downstream fan-out, expiry, cancellation, revocation, purge and alarms. Any number may run at once.
///
/// What has to be done is what rows say; events only say where to look first. At the stop it takes nothing new, finishes
/// what it has, acknowledges it and closes its connections.
public struct Coordinator: Service {
    private let publisher: Publisher
    private let consumer: Consumer
    private let start: BrokerStart
    private let events: EventLoop
    private let sweeper: Sweeper

    /// `database` is run by whoever owns it.
    public init(
        _ configuration: Configuration = Configuration(), database: Database, broker: AMQP.ConnectionSettings,
        instance: String, metrics: Metrics, readiness: Readiness
    ) {
        let links = BrokerLinks(readiness, address: "\(broker)")
        publisher = Publisher(broker, name: "coordinator/\(instance)/publish") { links.report($0, of: .publishing) }
        consumer = Consumer(
            broker, queue: "coordinator.events", name: "coordinator/\(instance)/consume",
            prefetch: PrefetchPolicy(maximum: UInt16(clamping: configuration.prefetch))
        ) { links.report($0, of: .consuming) }
        let numbers = CoordinatorMetrics(metrics)
        let worker = FanoutWorker(
            store: CoordinatorStore(database: database), publisher: publisher, configuration: configuration,
            metrics: numbers)
        start = BrokerStart(publisher: publisher, address: "\(broker)")
        events = EventLoop(
            consumer: consumer, publisher: publisher, worker: worker, configuration: configuration, metrics: numbers)
        sweeper = Sweeper(worker: worker, configuration: configuration, metrics: numbers)
    }

    public func run() async throws {
        try await withThrowingTaskGroup(of: Void.self) { links in
            // Whatever ends the body, the connections end with it.
            defer { links.cancelAll() }
            links.addTask { await publisher.run() }
            try await start.wait()
            links.addTask { await consumer.run() }
            await withTaskGroup(of: Void.self) { work in
                work.addTask { await events.run() }
                work.addTask { await sweeper.run() }
            }
        }
    }
}
