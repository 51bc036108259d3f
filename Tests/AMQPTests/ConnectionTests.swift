import AMQP
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(2)))
struct ConnectionTests {
    @Test func `a message to a queue is confirmed`() async throws {
        try await Broker.withQueue { queue, connection in
            #expect(await connection.publish(Broker.message(to: queue), deadline: Broker.soon) == .confirmed)
            let counts = try await connection.counts(of: queue)
            #expect(counts == QueueCounts(ready: 1, consumers: 0))
        }
    }

    @Test func `a message for which no queue is bound comes back, its neighbours do not`() async throws {
        try await Broker.withQueue { queue, connection in
            let results = await withTaskGroup { group in
                for number in 0..<40 {
                    let key = number % 4 == 3 ? Broker.name("nowhere") : queue
                    group.addTask {
                        (
                            number,
                            await connection.publish(Broker.message(to: key, id: "m\(number)"), deadline: Broker.soon)
                        )
                    }
                }
                return await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
            }
            for (number, result) in results {
                let expected: PublishResult = number % 4 == 3 ? .returned(code: 312, text: "NO_ROUTE") : .confirmed
                #expect(result == expected, "message \(number)")
            }
            #expect(await connection.unconfirmed == 0)
        }
    }

    @Test func `a full queue nacks`() async throws {
        let arguments: Headers = ["x-queue-type": "quorum", "x-max-length": 1, "x-overflow": "reject-publish"]
        try await Broker.withQueue(arguments: arguments) { queue, connection in
            var results: [PublishResult] = []
            for _ in 0..<5 {
                results.append(await connection.publish(Broker.message(to: queue), deadline: Broker.soon))
            }
            #expect(results.last == .nacked)
        }
    }

    @Test func `an exchange that does not exist leaves its message unknown and the connection usable`() async throws {
        try await Broker.withQueue { queue, connection in
            let lost = Message(exchange: "no-such-exchange", routingKey: "k", messageID: "m", type: "t", body: [])
            let result = await connection.publish(lost, deadline: Broker.soon)
            guard case .unknown(let reason) = result else { return #expect(Bool(false), "\(result)") }
            #expect(reason.contains("404"))
            #expect(await connection.publish(Broker.message(to: queue), deadline: Broker.soon) == .confirmed)
        }
    }

    @Test func `a question about a missing queue is answered nil, also between others`() async throws {
        try await Broker.withQueue { queue, connection in
            async let first = connection.counts(of: Broker.name("missing"))
            async let second = connection.counts(of: queue)
            async let third = connection.counts(of: Broker.name("missing"))
            async let fourth = connection.exchangeExists("amq.topic")
            async let fifth = connection.exchangeExists(Broker.name("missing"))
            let answers = try await (first, second, third)
            #expect(answers.0 == nil)
            #expect(answers.1 == QueueCounts(ready: 0, consumers: 0))
            #expect(answers.2 == nil)
            let exchanges = try await (fourth, fifth)
            #expect(exchanges == (true, false))
        }
    }

    @Test func `headers that are too large are refused before a byte is written`() async throws {
        try await Broker.withQueue { queue, connection in
            let large = Broker.message(to: queue, headers: ["h": .string(String(repeating: "x", count: 20_000))])
            let result = await connection.publish(large, deadline: Broker.soon)
            #expect(result == .notWritten("the headers take 20011 bytes, at most 16384 may"))
            #expect(await connection.publish(Broker.message(to: queue), deadline: Broker.soon) == .confirmed)
        }
    }

    @Test func `a closed connection writes nothing more`() async throws {
        let connection = try await Broker.open()
        await connection.close()
        #expect(await connection.ended().kind == .stopped)
        guard case .notWritten = await connection.publish(Broker.message(to: "q"), deadline: Broker.soon) else {
            return #expect(Bool(false), "written to a closed connection")
        }
    }

    @Test func `a connection that nobody uses lives on its heartbeats`() async throws {
        var settings = try Broker.settings()
        settings.heartbeat = .seconds(3)
        let connection = try await Connection.open(settings, name: "amqp-tests/idle")
        let ended = await within(.seconds(8)) { await connection.ended() }
        #expect(ended == nil)
        await connection.close()
    }
}
