import AMQP
import Daemon
import Delivery
import LocalStack
import Messages
import Postgres
import TestSupport
import Testing

@testable import OutboxRelay

/// The relay when the broker refuses, breaks, or loses what it confirmed.
@Suite(.serialized, .timeLimit(.minutes(5)))
struct RelayFaultTests {
    private var soon: ContinuousClock.Instant { .now + .seconds(20) }

    @Test func `a returned hint is deferred and goes when its queue is bound again`() async throws {
        try await RelayStage.with { stage in
            let management = ManagementAPI(url: stage.host.managementURL)
            let binding = "/api/bindings/\(stage.host.name)/e/hints/q/\(RelayStage.queue)"
            try await management.delete("\(binding)/\(RelayStage.queue)")
            try await stage.outbox.commit()
            try await stage.withConsumer { consumer in
                try await stage.withRelay { relay in
                    let returned = try await eventually { relay.count("publish_total{result=\"returned\"}") > 1 }
                    #expect(returned)
                    #expect(
                        try await stage.dueRows("last_error LIKE 'returned by the broker: 312%' AND crashes = 0") == 1)
                    try await management.post(binding, #"{"routing_key":"\#(RelayStage.queue)"}"#)
                    #expect(await consumer.next(until: soon) != nil)
                }
            }
            await management.close()
        }
    }

    @Test func `a nacked event is deferred and goes when there is room again`() async throws {
        try await RelayStage.with { stage in
            let connection = try await Connection.open(
                try AMQP.ConnectionSettings(url: stage.host.amqpURL), name: "test")
            let full = "events.x.full"
            try await connection.declareQueue(full, arguments: ["x-max-length": 1, "x-overflow": "reject-publish"])
            try await connection.bind(full, to: "events", key: "job.completed")
            for _ in 0..<3 { try await stage.outbox.announce() }
            try await stage.withRelay { relay in
                let nacked = try await eventually { relay.count("publish_total{result=\"nacked\"}") > 0 }
                #expect(nacked)
                #expect(
                    try await stage.eventuallyDue(
                        "last_error = 'nacked by the broker' OR last_error LIKE '%refuses'", 2))
                try await connection.deleteQueue(full)
                let reached = try await stage.eventuallyDue("true", 0)
                #expect(reached)
            }
            await connection.close()
        }
    }

    @Test func `what was on its way when the connection broke waits like a confirmed one`() async throws {
        try await RelayStage.with { stage in
            let proxy = TCPProxy(to: stage.host.amqpURL)
            defer { proxy.stop() }
            var configuration = RunningRelay.quick
            // Frozen, the proxy answers no question either.
            configuration.answerFreshFor = .seconds(60)
            try await stage.withConsumer { consumer in
                try await stage.withRelay(configuration, through: proxy.url(stage.host.amqpURL)) { relay in
                    try await stage.outbox.commit()
                    #expect(await consumer.next(until: soon) != nil)
                    let reached = try await stage.eventuallyDue("published_at IS NOT NULL", 1)
                    #expect(reached)
                    proxy.freeze()
                    try await stage.outbox.commit()
                    let written = try await eventually { await relay.publisher.unconfirmed == 1 }
                    #expect(written)
                    proxy.cut()
                    let reachedTwo = try await stage.eventuallyDue("published_at IS NOT NULL", 2)
                    #expect(reachedTwo)
                    #expect(relay.count("publish_total{result=\"unknown\"}") == 1)
                    proxy.thaw()
                    try await stage.outbox.commit()
                    let reachedThree = try await stage.eventuallyDue("published_at IS NOT NULL", 3)
                    #expect(reachedThree)
                }
            }
        }
    }

    @Test func `a confirmed hint without an outcome goes again once the queues were seen empty`() async throws {
        var configuration = RunningRelay.quick
        configuration.lease = .seconds(3)
        configuration.proofMargin = .milliseconds(300)
        configuration.sweepEvery = .milliseconds(100)
        try await RelayStage.with(configuration: configuration) { stage in
            try await stage.outbox.commit()
            try await stage.withConsumer { consumer in
                try await stage.withRelay(configuration) { _ in
                    let first = try #require(await consumer.next(until: soon))
                    await consumer.ack(first)
                    #expect(first.headers["md-seq"] == 1)
                    // The recorder's queues have no consumer yet: nothing is proven.
                    #expect(await consumer.next(until: .now + .seconds(4)) == nil)
                    try await stage.withConsumer(of: "recorder.outcomes") { _ in
                        try await stage.withConsumer(of: "dead.index") { _ in
                            let second = try #require(await consumer.next(until: soon))
                            #expect(second.headers["md-seq"] == 2 && second.messageID == first.messageID)
                            let rows = try await stage.dueRows("silences = 1 AND crashes = 0")
                            #expect(rows == 1)
                        }
                    }
                }
            }
        }
    }

    @Test func `headers that are too large bury the event`() async throws {
        try await RelayStage.with { stage in
            let headers = #"{"a":"\#(String(repeating: "x", count: 16_374))"}"#
            try await stage.outbox.announce(headers: headers)
            try await stage.withRelay { _ in
                let reached = try await stage.eventuallyDue("true", 0)
                #expect(reached)
                let letters = try await stage.outbox.deadLetters()
                #expect(letters.first?.hasPrefix("outbox buried: the headers take") == true)
            }
        }
    }

    @Test func `a suspect is published alone and cleared by its confirm`() async throws {
        try await RelayStage.with(devices: 4) { stage in
            try await stage.outbox.commit(5)
            try await stage.outbox.admin.execute(
                "UPDATE delivery.due SET crashes = 3 WHERE id IN (SELECT id FROM delivery.due ORDER BY id LIMIT 3)")
            try await stage.withConsumer { _ in
                try await stage.withRelay { _ in
                    let reached = try await stage.eventuallyDue("published_at IS NOT NULL AND crashes = 0", 20)
                    #expect(reached)
                }
            }
        }
    }

    @Test func `a stopped relay leaves no row half done`() async throws {
        try await RelayStage.with(devices: 4) { stage in
            try await stage.outbox.commit(100)
            try await stage.withConsumer { consumer in
                try await stage.withRelay { relay in
                    #expect(await consumer.next(until: soon) != nil)
                    await relay.end()
                }
                let rows = try await stage.dueRows("lease_token IS NOT NULL AND published_at IS NULL")
                #expect(rows == 0)
            }
        }
    }

    @Test func `a queue that goes missing is told by readiness`() async throws {
        try await RelayStage.with { stage in
            try await stage.withRelay { relay in
                let ready = try await eventually { relay.readiness.isReady }
                #expect(ready)
                let connection = try await Connection.open(
                    try AMQP.ConnectionSettings(url: stage.host.amqpURL), name: "test")
                try await connection.deleteQueue("dead.index")
                await connection.close()
                let told = try await eventually {
                    relay.readiness.missing["broker"]?.contains("queue dead.index is missing") == true
                }
                #expect(told)
            }
        }
    }
}
