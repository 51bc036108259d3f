import AMQP
import Daemon
import Delivery
import TestSupport
import Testing
import Topology

/// What each user may and may not do, asked of the broker itself.
@Suite(.serialized, .timeLimit(.minutes(5)))
struct `A user of the broker` {
    @Test func `publishes where its service has to and nowhere else`() async throws {
        try await withUsers { access in
            for attempt in Attempt.all {
                let result = await access.publish(attempt)
                #expect((result == .confirmed) == attempt.isAllowed, "\(attempt): \(result)")
            }
        }
    }

    @Test func `consumes its own queues and no others`() async throws {
        try await withUsers { access in
            for (user, own, other) in [
                ("apns-sender", "hints.apns.sandbox.cheqi", "hints.fcm.cheqi"),
                ("fcm-sender", "hints.fcm.cheqi", "hints.fcm.dead"),
                ("coordinator", "coordinator.events", "coordinator.dead"),
                ("recorder", "dead.index", "hints.apns.dead"),
                ("operator", "parking", "recorder.acks"),
            ] {
                #expect(await access.canConsume(user, own), "\(user) \(own)")
                #expect(await !access.canConsume(user, other), "\(user) \(other)")
            }
        }
    }

    @Test func `cannot declare a queue that would beat a policy`() async throws {
        try await withUsers { access in
            for user in ["relay", "gateway", "operator", "coordinator"] {
                let error = await access.declare(user, queue: "events.x.mine")
                #expect(error?.kind == .accessRefused, "\(user)")
            }
        }
    }

    @Test func `of the relay may ask for the counts of what it must know`() async throws {
        try await withUsers { access in
            for queue in ["hints.fcm.cheqi", "recorder.outcomes", "dead.index"] {
                let connection = try await access.connection("relay")
                #expect(try await connection.counts(of: queue) != nil)
                await connection.close()
            }
        }
    }

    private func withUsers(_ body: (Access) async throws -> Void) async throws {
        try await LiveServers.withBroker(users: true) { desired, _, setup in
            let password = Secret("test")
            let names = desired.users.map(\.name)
            try await setup.apply(passwords: Dictionary(uniqueKeysWithValues: names.map { ($0, password) }))
            var settings = try ConnectionSettings(url: try TestServers.amqpURL)
            settings.virtualHost = desired.virtualHost
            settings.password = password.revealed
            try await body(Access(settings: settings, users: names))
        }
    }
}

/// One message and whether its user may publish it.
private struct Attempt: CustomStringConvertible {
    var user: String
    var exchange: String
    var key: String
    var isAllowed: Bool

    var description: String { "\(user) → \(exchange) \(key)" }

    init(_ user: String, _ exchange: String, _ key: String, _ isAllowed: Bool) {
        self.user = user
        self.exchange = exchange
        self.key = key
        self.isAllowed = isAllowed
    }

    static let all = [
        Attempt("relay", "hints", "hints.fcm.cheqi", true), Attempt("relay", "events", "job.completed", true),
        Attempt("relay", "dead", "hints.apns.dead", true), Attempt("relay", "dead", "coordinator.dead", false),
        Attempt("relay", "results", "ack", false), Attempt("relay", "", "recorder.outcomes", false),
        Attempt("apns-sender", "results", "outcome.apns.sandbox.cheqi", true),
        Attempt("apns-sender", "results", "outcome.fcm.cheqi", false),
        Attempt("apns-sender", "results", "ack", false), Attempt("apns-sender", "dead", "hints.apns.dead", true),
        Attempt("apns-sender", "dead", "hints.fcm.dead", false),
        Attempt("apns-sender", "hints", "hints.apns.sandbox.cheqi", false),
        Attempt("apns-sender", "", "hints.apns.dead", false),
        Attempt("fcm-sender", "results", "outcome.fcm.cheqi", true),
        Attempt("fcm-sender", "dead", "hints.fcm.dead", true), Attempt("fcm-sender", "dead", "hints.apns.dead", false),
        Attempt("coordinator", "downstream", "RECEIPT.shop", true),
        Attempt("coordinator", "dead", "coordinator.dead", true),
        Attempt("coordinator", "dead", "recorder.dead", false),
        Attempt("coordinator", "events", "job.completed", false),
        Attempt("recorder", "dead", "recorder.dead", true), Attempt("recorder", "dead", "hints.apns.dead", false),
        Attempt("gateway", "results", "ack", true), Attempt("gateway", "results", "outcome.fcm.cheqi", false),
        Attempt("gateway", "events", "job.submitted", false),
        Attempt("operator", "replay", "recorder.acks", true), Attempt("operator", "replay", "hints.fcm.dead", true),
        Attempt("operator", "replay", "dead.index", true), Attempt("operator", "hints", "hints.fcm.cheqi", false),
        Attempt("operator", "replay", "hints.fcm.cheqi", false),
        Attempt("monitor", "events", "job.completed", false),
    ]
}

/// Acts as any of the users of one virtual host.
private struct Access {
    let settings: ConnectionSettings
    let users: [String]

    func connection(_ user: String) async throws(AMQPError) -> Connection {
        var settings = settings
        settings.user = users.first { $0.hasPrefix("\(user)-") } ?? user
        return try await Connection.open(settings, name: "test")
    }

    func publish(_ attempt: Attempt) async -> PublishResult? {
        guard let connection = try? await connection(attempt.user) else { return nil }
        let message = Message(
            exchange: attempt.exchange, routingKey: attempt.key, messageID: "1", type: "test.v1", body: [])
        let result = await connection.publish(message, deadline: .now + .seconds(10))
        await connection.close()
        return result
    }

    func canConsume(_ user: String, _ queue: String) async -> Bool {
        var settings = settings
        settings.user = users.first { $0.hasPrefix("\(user)-") } ?? user
        let consumer = Consumer(settings, queue: queue, name: "test", prefetch: PrefetchPolicy(maximum: 1))
        let running = Task { await consumer.run() }
        let known = try? await eventually(within: .seconds(10)) {
            let failure = await consumer.lastFailure
            let counts = try await connection("relay").counts(of: queue)
            return failure != nil || (counts?.consumers ?? 0) > 0
        }
        let failure = await consumer.lastFailure
        running.cancel()
        await running.value
        return known == true && failure == nil
    }

    func declare(_ user: String, queue: String) async -> AMQPError? {
        do {
            let connection = try await connection(user)
            try await connection.declareQueue(queue)
            await connection.close()
            return nil
        } catch {
            return error
        }
    }
}
