public import AMQP
public import Daemon
public import Postgres
import Storage

/// The services of one ack recorder process: three queues, the judge of tokens, and the connections they share.
public struct Recorder: Sendable {
    private let configuration: Configuration
    private let database: Database
    private let broker: AMQP.ConnectionSettings
    private let instance: String
    private let metrics: Metrics
    private let readiness: Readiness

    public init(
        _ configuration: Configuration, database: Database, broker: AMQP.ConnectionSettings, instance: String,
        metrics: Metrics, readiness: Readiness
    ) {
        self.configuration = configuration
        self.database = database
        self.broker = broker
        self.instance = instance
        self.metrics = metrics
        self.readiness = readiness
    }

    /// In the order in which they are started.
    public var services: [any Service] {
        let publisher = Publisher(broker, name: "ack-recorder/\(instance)/dead")
        let deadLetters = DeadLetterPublisher(publisher: publisher, deadline: configuration.confirmDeadline)
        return [
            DatabaseService(database, readiness: readiness, tables: ["delivery.due", "delivery.dead_letter"]),
            BrokerPublishing(
                publisher: publisher, broker: broker, queues: ["recorder.acks", "recorder.outcomes", "dead.index"],
                condition: readiness.condition("broker", waitingFor: "waiting for the broker")),
            loop(
                AckRecording(
                    database: database, deadLetters: deadLetters, configuration: configuration,
                    counters: AckRecording.Counters(metrics))),
            loop(
                OutcomeRecording(
                    database: database, routes: RouteNumbers(database), deadLetters: deadLetters,
                    configuration: configuration, counters: OutcomeCounters(metrics))),
            loop(
                DeadLetterRecording(
                    database: database, configuration: configuration, counters: DeadLetterRecording.Counters(metrics))),
            TokenJudge(database: database, configuration: configuration, metrics: metrics),
        ]
    }

    private func loop(_ kind: some Recording) -> any Service {
        let prefetch = PrefetchPolicy(maximum: UInt16(clamping: max(configuration.prefetch, 2 * kind.batch)))
        let connected = readiness.condition("\(kind.queue) connection", waitingFor: "waiting for the broker")
        let consumer = Consumer(
            broker, queue: kind.queue, name: "ack-recorder/\(instance)/\(kind.queue)", prefetch: prefetch, paused: true,
            onEvent: ConsumerEvents(queue: kind.queue, condition: connected).happened)
        return RecordingLoop(
            kind: kind, consumer: consumer, database: database, configuration: configuration,
            metrics: RecordingMetrics(metrics, queue: kind.queue),
            condition: readiness.condition("\(kind.queue) recording", waitingFor: "waiting for PostgreSQL"))
    }
}
