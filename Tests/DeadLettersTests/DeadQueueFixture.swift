import AMQP
import Daemon
import Delivery
import Postgres
import TestSupport

@testable import DeadLetters

/// The letters of `DeadLetterFixture` beside a broker with the project's topology.
struct DeadQueueFixture {
    let letters: DeadLetterFixture
    let broker: AMQP.ConnectionSettings

    static func with(_ body: (DeadQueueFixture) async throws -> Void) async throws {
        try await withScratchVirtualHost { host in
            let broker = try AMQP.ConnectionSettings(url: host.amqpURL)
            try await DeadLetterFixture.with { letters in
                var letters = letters
                letters.broker = broker
                try await body(DeadQueueFixture(letters: letters, broker: broker))
            }
        }
    }

    /// A message of another kind than hints, dead and indexed as the recorder does.
    @discardableResult
    func bury(
        _ queue: DeadQueue = .recorder, id: String, key: String = "ack", type: String = "ack.v1",
        headers: Headers = [:], body: String = "{", isIndexed: Bool = true
    ) async throws -> Message {
        var all: Headers = ["md-reason": "malformed", "md-exchange": "results", "md-key": .string(key)]
        all.merge(headers) { $1 }
        let message = Message(
            exchange: "dead", routingKey: queue.rawValue, messageID: id, type: type, headers: all,
            body: Array(body.utf8), contentType: "text/plain", appID: "someone", correlationID: "c-1", timestamp: 1234)
        try await publish([message])
        if isIndexed { try await index(queue, id: id, type: type) }
        return message
    }

    func index(_ queue: DeadQueue, id: String, type: String, replay: Int = 0) async throws {
        try await letters.admin.execute(
            """
            SELECT delivery.record_dead_letters(
                       ARRAY[\(queue.rawValue)], ARRAY[\(id)], ARRAY[\(Int32(replay))], ARRAY[\(type)], ARRAY['malformed'],
                       ARRAY[NULL::integer], ARRAY[NULL::text], ARRAY[0], ARRAY[NULL::bigint], ARRAY[NULL::bigint],
                       ARRAY['results'], ARRAY['ack'], ARRAY[NULL::text], ARRAY[NULL::uuid], ARRAY[NULL::uuid],
                       ARRAY[NULL::uuid])
            """)
    }

    /// The copies that the relay would publish of the hints that failed.
    func buryHints() async throws {
        var messages: [Message] = []
        for row in try await letters.admin.query("SELECT queue, message_id, seq FROM delivery.dead_letter") {
            messages.append(
                Message(
                    exchange: "dead", routingKey: try row["queue"], messageID: try row["message_id"],
                    type: "hint.dead.v1",
                    headers: ["md-seq": .integer(Int64(try row["seq"] as Int32)), "md-reason": "exhausted"], body: []))
        }
        try await publish(messages)
    }

    func publish(_ messages: [Message]) async throws {
        let connection = try await AMQP.Connection.open(broker, name: "test/bury")
        for message in messages {
            let result = await connection.publish(message, deadline: .now + .seconds(30))
            guard result == .confirmed else { throw NotTaken(result: result) }
        }
        await connection.close()
    }

    func depth(_ queue: String) async throws -> Int {
        let connection = try await AMQP.Connection.open(broker, name: "test/depth")
        let counts = try await connection.counts(of: queue)
        await connection.close()
        return counts?.ready ?? -1
    }

    /// Whether the queue comes to hold that many: an acknowledgement takes a moment.
    func comes(_ queue: String, to count: Int) async throws -> Bool {
        try await eventually { try await depth(queue) == count }
    }

    /// Takes everything out of a queue.
    func drain(_ queue: String) async throws -> [AMQP.Delivery] {
        let count = try await depth(queue)
        let consumer = Consumer(broker, queue: queue, name: "test/drain", prefetch: PrefetchPolicy(maximum: 100))
        let running = Task { await consumer.run() }
        var taken: [AMQP.Delivery] = []
        while taken.count < count, let next = await consumer.next(until: .now + .seconds(20)) {
            taken.append(next)
            await consumer.ack(next)
        }
        running.cancel()
        await running.value
        return taken
    }
}

/// The broker did not take what a test published.
struct NotTaken: Error {
    let result: PublishResult
}
