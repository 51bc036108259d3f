import AMQP
import Daemon
public import FoundationEssentials
import HTTPClient
import Synchronization
import Topology

/// Sees a copy of every message that the stack publishes: a queue of its own, bound to every exchange or to some. On `downstream` it
/// stands for an integrator.
public final class Tap: Sendable {
    /// One message, with the instant at which it came.
    public struct Sighting: Sendable {
        public let at: Date
        public let exchange: String
        public let type: String
        public let messageID: String
        public let body: [UInt8]

        init(_ message: Delivery) {
            at = Date()
            exchange = message.exchange
            type = message.type
            messageID = message.messageID
            body = message.body
        }
    }

    public static let queue = "lab.tap"
    public static let everywhere = ["hints", "events", "results", "downstream", "dead", "replay"]

    private let state = Mutex<[Sighting]>([])
    private let consumer: Consumer
    private let exchanges: [String]
    private let tasks = Mutex<[Task<Void, Never>]>([])

    private init(_ consumer: Consumer, _ exchanges: [String]) {
        self.consumer = consumer
        self.exchanges = exchanges
    }

    static func start(on site: StackSite, _ exchanges: [String]) async throws -> Tap {
        let consumer = Consumer(
            try AMQP.ConnectionSettings(url: site.amqpURL), queue: queue, name: "lab/tap",
            prefetch: PrefetchPolicy(maximum: 256))
        let tap = Tap(consumer, exchanges)
        try await tap.declare(on: site)
        let running = Task { await consumer.run() }
        let reading = Task { [weak tap] in
            while let message = await consumer.next() {
                tap?.state.withLock { $0.append(Sighting(message)) }
                await consumer.ack(message)
            }
        }
        tap.tasks.withLock { $0 = [running, reading] }
        return tap
    }

    /// Makes the queue in the virtual host, which has the topology already; again after the broker lost its data.
    func declare(on site: StackSite) async throws {
        var definitions = BrokerDefinitions(
            exchanges: try TopologyFiles(directory: site.programs.topology).definitions().exchanges)
        for exchange in exchanges { definitions.bindings.append(BindingDefinition(exchange, to: Self.queue, key: "#")) }
        definitions.queues.append(QueueDefinition(Self.queue))
        let client = Client()
        let desired = DesiredBroker(virtualHost: site.virtualHost, definitions: definitions)
        let api = ManagementAPI(url: site.servers.rabbitmq.managementURL, client: client)
        do {
            try await BrokerSetup(desired, api: api).apply()
            await client.close()
        } catch {
            await client.close()
            throw error
        }
    }

    /// Everything seen so far, in order.
    public var sightings: [Sighting] { state.withLock { $0 } }

    /// Stops it and deletes its queue.
    func remove(from site: StackSite) async throws {
        await stop()
        let connection = try await AMQP.Connection.open(ConnectionSettings(url: site.amqpURL), name: "lab/tap")
        try await connection.deleteQueue(Self.queue)
        await connection.close()
    }

    func stop() async {
        let tasks = tasks.withLock { $0 }
        for task in tasks { task.cancel() }
        for task in tasks { await task.value }
    }
}
