public import AMQP
public import Delivery
public import Messages
import Synchronization

/// A broker with the project's topology and everything around a sender but the sender: hints go in, outcomes and dead
/// letters come out.
public final class SenderBroker: Sendable {
    public let url: String
    private let publisher: Publisher
    private let collected = Mutex<(outcomes: [Outcome], dead: [AMQP.Delivery])>(([], []))

    fileprivate init(_ host: ScratchVirtualHost) throws {
        url = host.amqpURL
        publisher = Publisher(try ConnectionSettings(url: url), name: "test/hints")
    }

    public func publish(_ hint: Hint) async throws {
        try await publish(hint.encoded(), id: hint.entry, route: hint.route)
    }

    public func publish(_ body: [UInt8], id: Identifier = .random(), route: Route) async throws {
        let message = Message(
            exchange: "hints", routingKey: route.queue, messageID: id.description, type: MessageType.hint.rawValue,
            body: body)
        let result = await publisher.publish(message, deadline: .now + .seconds(50))
        guard result == .confirmed else { throw HintNotTaken(description: "the test's hint was not taken: \(result)") }
    }

    /// Hints that wait in the queue and are with no consumer.
    public func ready(_ route: Route) async throws -> Int { try await publisher.counts(of: route.queue)?.ready ?? 0 }

    /// Consumers of the queue.
    public func consumers(_ route: Route) async throws -> Int {
        try await publisher.counts(of: route.queue)?.consumers ?? 0
    }

    /// Whether the queue comes to have that many consumers.
    public func comes(to consumers: Int, consumersOf route: Route) async throws -> Bool {
        try await eventually { try await self.consumers(route) == consumers }
    }

    /// Whether that many hints come to wait in the queue.
    public func comes(to ready: Int, readyOf route: Route) async throws -> Bool {
        try await eventually { try await self.ready(route) == ready }
    }

    public var outcomes: [Outcome] { collected.withLock { $0.outcomes } }
    public var deadLetters: [AMQP.Delivery] { collected.withLock { $0.dead } }

    /// All outcomes so far, once there are `count`; fewer after 50 s.
    public func outcomes(_ count: Int) async throws -> [Outcome] {
        _ = try await eventually(within: .seconds(50)) { outcomes.count >= count }
        return outcomes
    }

    public func kinds(_ count: Int) async throws -> [OutcomeKind] { try await outcomes(count).map(\.kind) }

    public func deadLetters(_ count: Int) async throws -> [AMQP.Delivery] {
        _ = try await eventually(within: .seconds(50)) { deadLetters.count >= count }
        return deadLetters
    }

    fileprivate func run() async throws {
        let settings = try ConnectionSettings(url: url)
        await withTaskGroup { group in
            group.addTask { await self.publisher.run() }
            for queue in ["recorder.outcomes", "hints.apns.dead", "hints.fcm.dead"] {
                let consumer = Consumer(
                    settings, queue: queue, name: "test/\(queue)", prefetch: PrefetchPolicy(maximum: 100))
                group.addTask { await consumer.run() }
                group.addTask {
                    while let message = await consumer.next() {
                        self.take(message, from: queue)
                        await consumer.ack(message)
                    }
                }
            }
        }
    }

    private func take(_ message: AMQP.Delivery, from queue: String) {
        let batch = queue == "recorder.outcomes" ? try? OutcomeBatch(decoding: message.body) : nil
        collected.withLock {
            if let batch { $0.outcomes += batch.outcomes } else { $0.dead.append(message) }
        }
    }
}

/// The broker was not there for the test.
public struct HintNotTaken: Error, CustomStringConvertible {
    public let description: String
}

/// Runs `body` with a virtual host that has a queue for each route.
public func withSenderBroker(_ routes: [Route], _ body: (SenderBroker) async throws -> Void) async throws {
    try await withScratchVirtualHost(routes: routes.map(\.queue)) { host in
        let broker = try SenderBroker(host)
        let running = Task { try await broker.run() }
        defer { running.cancel() }
        try await body(broker)
    }
}
