import AMQP
import LocalStack
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(2)))
struct ConsumerTests {
    private func withConsumer(
        of queue: String, through proxy: TCPProxy? = nil, prefetch: UInt16 = 8, _ body: (Consumer) async throws -> Void
    ) async throws {
        var settings = try Broker.settings()
        if let proxy { settings.addresses = [.init(host: "127.0.0.1", port: proxy.port)] }
        let consumer = Consumer(
            settings, queue: queue, name: "amqp-tests/consume", prefetch: PrefetchPolicy(maximum: prefetch))
        let running = Task { await consumer.run() }
        do {
            try await body(consumer)
        } catch {
            running.cancel()
            throw error
        }
        running.cancel()
        await running.value
        proxy?.stop()
    }

    private func publish(_ range: Range<Int>, to queue: String, _ connection: Connection) async {
        for number in range {
            let message = Broker.message(to: queue, id: "m\(number)")
            #expect(await connection.publish(message, deadline: Broker.soon) == .confirmed)
        }
    }

    @Test func `a delivery carries what was published`() async throws {
        try await Broker.withQueue { queue, connection in
            let headers: Headers = [
                "text": "é", "number": -7, "flag": true, "list": .array(["a", 1]),
                "nested": .table(["k": .bytes([255])]),
                "when": .timestamp(9), "half": .double(0.5), "nothing": .void,
            ]
            let body = (0..<300_000).map { UInt8(truncatingIfNeeded: $0) }
            var message = Message(
                exchange: "", routingKey: queue, messageID: "id-1", type: "test.v1", headers: headers, body: body)
            message.timestamp = 1_700_000_000
            message.correlationID = "c"
            #expect(await connection.publish(message, deadline: Broker.soon) == .confirmed)
            try await withConsumer(of: queue) { consumer in
                let got = try #require(await consumer.next(until: Broker.soon))
                #expect(got.messageID == "id-1" && got.type == "test.v1" && got.routingKey == queue)
                #expect(got.timestamp == 1_700_000_000 && got.correlationID == "c" && !got.redelivered)
                #expect(got.body == body)
                for (name, value) in headers { #expect(got.headers[name] == value, "\(name)") }
                #expect(got.deliveryCount == 0)
                await consumer.ack(got)
            }
            let empty = try await eventually {
                try await connection.counts(of: queue) == QueueCounts(ready: 0, consumers: 0)
            }
            #expect(empty)
        }
    }

    @Test func `the prefetch starts at one and doubles with each acknowledged window`() async throws {
        try await Broker.withQueue { queue, connection in
            await publish(0..<30, to: queue, connection)
            try await withConsumer(of: queue, prefetch: 8) { consumer in
                for expected in [1, 2, 4, 8] {
                    // The consumer before may have been given its own prefetch once more until it was cancelled.
                    let full = try await eventually { await consumer.unsettled >= expected }
                    let held = await consumer.unsettled
                    #expect(full && held <= expected + expected / 2, "\(held) held, \(expected) expected")
                    var last: Delivery?
                    for _ in 0..<held { last = await consumer.next(until: Broker.soon) }
                    await consumer.ack(upTo: try #require(last))
                }
            }
        }
    }

    @Test func `a paused consumer gets nothing and begins with one again`() async throws {
        try await Broker.withQueue { queue, connection in
            try await withConsumer(of: queue) { consumer in
                let started = try await eventually { await consumer.isConsuming }
                #expect(started)
                await consumer.pause()
                await publish(0..<5, to: queue, connection)
                let counts = try await connection.counts(of: queue)
                #expect(counts == QueueCounts(ready: 5, consumers: 0))
                await consumer.resume()
                let one = try await eventually { await consumer.unsettled == 1 }
                #expect(one)
            }
        }
    }

    @Test func `acknowledging several, in any order, leaves the others`() async throws {
        try await Broker.withQueue { queue, connection in
            await publish(0..<16, to: queue, connection)
            try await withConsumer(of: queue) { consumer in
                // Until eight are held at once.
                for count in [1, 2, 4] {
                    var few: [Delivery] = []
                    for _ in 0..<count { few.append(try #require(await consumer.next(until: Broker.soon))) }
                    await consumer.ack(few.reversed())
                }
                var held: [Delivery] = []
                for _ in 0..<8 { held.append(try #require(await consumer.next(until: Broker.soon))) }
                await consumer.ack([held[5], held[0], held[2], held[1]])
                for (number, delivery) in held.enumerated() {
                    #expect(await consumer.isCurrent(delivery) == [3, 4, 6, 7].contains(number), "\(number)")
                }
                await consumer.ack([held[0], held[3]])
            }
            let left = try await eventually { try await connection.counts(of: queue)?.ready == 4 }
            #expect(left)
        }
    }

    @Test func `a rejected message leaves the queue`() async throws {
        try await Broker.withQueue { queue, connection in
            await publish(0..<1, to: queue, connection)
            try await withConsumer(of: queue) { consumer in
                await consumer.reject(try #require(await consumer.next(until: Broker.soon)))
                #expect(await consumer.unsettled == 0)
            }
            let gone = try await eventually { try await connection.counts(of: queue)?.consumers == 0 }
            let counts = try await connection.counts(of: queue)
            #expect(gone && counts?.ready == 0)
        }
    }

    @Test func `after a cut the message comes again and the old delivery can't be acknowledged`() async throws {
        let proxy = TCPProxy(to: try TestServers.amqpURL)
        try await Broker.withQueue { queue, connection in
            await publish(0..<1, to: queue, connection)
            try await withConsumer(of: queue, through: proxy) { consumer in
                let first = try #require(await consumer.next(until: Broker.soon))
                proxy.cut()
                let second = try #require(await consumer.next(until: Broker.soon))
                #expect(second.messageID == first.messageID && second.redelivered && second.deliveryCount == 1)
                await consumer.ack(first)
                #expect(await consumer.unsettled == 1)
                #expect(await !consumer.isCurrent(first))
                await consumer.ack(second)
                #expect(await consumer.unsettled == 0)
            }
        }
    }

    @Test func `a queue that is missing is told and waited for`() async throws {
        let connection = try await Broker.open()
        let queue = Broker.name("late")
        try await withConsumer(of: queue) { consumer in
            let told = try await eventually { await consumer.lastFailure?.kind == .missing }
            #expect(told)
            try await connection.declareQueue(queue)
            let started = try await eventually { await consumer.isConsuming }
            #expect(started)
            try await connection.deleteQueue(queue)
            let ended = try await eventually { await consumer.lastFailure?.kind == .missing }
            #expect(ended)
        }
        await connection.close()
    }

    @Test func `a batch takes what is there`() async throws {
        try await Broker.withQueue { queue, connection in
            await publish(0..<12, to: queue, connection)
            try await withConsumer(of: queue, prefetch: 64) { consumer in
                var seen: [String] = []
                while seen.count < 12 {
                    let batch = await consumer.nextBatch(upTo: 5, within: .milliseconds(50))
                    #expect((1...5).contains(batch.count))
                    seen += batch.map(\.messageID)
                    await consumer.ack(upTo: try #require(batch.last))
                }
                #expect(seen == (0..<12).map { "m\($0)" })
            }
        }
    }

    @Test func `a stopped consumer answers nil`() async throws {
        try await Broker.withQueue { queue, _ in
            let consumer = Consumer(
                try Broker.settings(), queue: queue, name: "amqp-tests/consume", prefetch: PrefetchPolicy(maximum: 1))
            let running = Task { await consumer.run() }
            async let next = consumer.next()
            running.cancel()
            #expect(await next == nil)
            await running.value
        }
    }
}
