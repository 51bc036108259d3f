import AMQP
import Delivery
import Messages

/// Queues of the test's own that get copies of what services publish, and what is done with each message.
struct BrokerTap: Sendable {
    let url: String
    let queue: String
    let exchange: String
    let key: String

    /// Makes the queue: a plain one on a single node, which costs the broker least.
    func make() async throws {
        try await with { connection in
            try await connection.declareQueue(queue)
            try await connection.bind(queue, to: exchange, key: key)
        }
    }

    /// Waits until the queue is empty, for some seconds at most.
    func settle() async {
        try? await with { connection in
            for _ in 0..<100 {
                guard let counts = try await connection.counts(of: queue), counts.ready > 0 else { break }
                try await Task.sleep(for: .milliseconds(100))
            }
            // What the reader holds is a thousand messages at most.
            try await Task.sleep(for: .milliseconds(300))
        }
    }

    func remove() async throws { try await with { try await $0.deleteQueue(queue) } }

    /// Until its task is cancelled.
    func run(_ take: @Sendable (AMQP.Delivery) async -> Void) async throws {
        let consumer = Consumer(
            try ConnectionSettings(url: url), queue: queue, name: "load-test/\(queue)",
            prefetch: PrefetchPolicy(maximum: 1000))
        let running = Task { await consumer.run() }
        while let message = await consumer.next() {
            await take(message)
            await consumer.ack(message)
        }
        running.cancel()
        await running.value
    }

    /// How many messages wait in any queue.
    static func ready(_ queues: [String], on connection: AMQP.Connection) async throws -> [String: Int] {
        var ready: [String: Int] = [:]
        for queue in queues { ready[queue] = try await connection.counts(of: queue)?.ready ?? 0 }
        return ready
    }

    private func with(_ body: (AMQP.Connection) async throws -> Void) async throws {
        let connection = try await AMQP.Connection.open(ConnectionSettings(url: url), name: "load-test/\(queue)")
        do {
            try await body(connection)
        } catch {
            await connection.close()
            throw error
        }
        await connection.close()
    }
}

/// Job and device of a hint, without reading the rest of it.
struct HintGlance: Equatable {
    let job: Identifier
    let device: Identifier

    init?(_ body: [UInt8]) {
        guard let job = Self.identifier(after: "\"job\":\"", in: body),
            let device = Self.identifier(after: "\"device\":\"", in: body)
        else { return nil }
        self.job = job
        self.device = device
    }

    private static func identifier(after opening: StaticString, in body: [UInt8]) -> Identifier? {
        let count = opening.utf8CodeUnitCount
        guard body.count >= count + 36 else { return nil }
        return body.withUnsafeBufferPointer { units in
            for start in 0...(units.count - count - 36) where units[start] == opening.utf8Start[0] {
                guard (1..<count).allSatisfy({ units[start + $0] == opening.utf8Start[$0] }) else { continue }
                return Identifier(String(decoding: units[(start + count)..<(start + count + 36)], as: UTF8.self))
            }
            return nil
        }
    }
}
