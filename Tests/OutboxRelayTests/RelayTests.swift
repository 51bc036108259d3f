import AMQP
import Daemon
import Delivery
import Messages
import Postgres
import TestSupport
import Testing

@testable import OutboxRelay

/// The relay end to end: a committed row, a real broker.
@Suite(.serialized, .timeLimit(.minutes(5)))
struct RelayTests {
    private var soon: ContinuousClock.Instant { .now + .seconds(20) }

    @Test func `a committed job reaches its queue and waits for its outcome`() async throws {
        try await RelayStage.with { stage in
            let job = try await stage.outbox.commit()[0]
            try await stage.withConsumer { consumer in
                try await stage.withRelay { relay in
                    let delivery = try #require(await consumer.next(until: soon))
                    let hint = try Hint(decoding: delivery.body)
                    #expect(hint.job == job && hint.seq == 1)
                    #expect(delivery.type == "hint.v1" && delivery.messageID == hint.entry.description)
                    #expect(delivery.headers["md-seq"] == 1 && delivery.appID == "mobile-delivery")
                    #expect(delivery.contentType == "application/json" && delivery.timestamp > 0)
                    let reached = try await stage.eventuallyDue("published_at IS NOT NULL AND crashes = 0", 1)
                    #expect(reached)
                    let ready = try await eventually {
                        relay.readiness.isReady || relay.readiness.missing.keys.allSatisfy { $0 == "database" }
                    }
                    #expect(ready)
                }
            }
        }
    }

    @Test func `an event reaches its exchange and leaves the outbox`() async throws {
        try await RelayStage.with { stage in
            try await stage.outbox.admin.execute(
                """
                SELECT delivery.announce('events', 'job.cancelled', 'job.cancelled.v1', NULL, '{"traceparent":"00-a"}',
                                         '{"version": 1}', 3::smallint)
                """)
            try await stage.withConsumer(of: "coordinator.events") { consumer in
                try await stage.withRelay { _ in
                    let delivery = try #require(await consumer.next(until: soon))
                    #expect(delivery.type == "job.cancelled.v1" && delivery.routingKey == "job.cancelled")
                    #expect(delivery.headers["traceparent"] == "00-a")
                    let reached = try await stage.eventuallyDue("true", 0)
                    #expect(reached)
                }
            }
        }
    }

    @Test func `two relays publish each row once`() async throws {
        try await RelayStage.with(devices: 4) { stage in
            try await stage.outbox.commit(60)
            try await stage.withConsumer { consumer in
                try await stage.withRelay { first in
                    try await stage.withRelay { second in
                        var seen: [String] = []
                        while seen.count < 240, let delivery = await consumer.next(until: soon) {
                            seen.append(delivery.messageID)
                            await consumer.ack(upTo: delivery)
                        }
                        #expect(seen.count == 240 && Set(seen).count == 240)
                        let reached = try await stage.eventuallyDue("published_at IS NOT NULL AND seq = 1", 240)
                        #expect(reached)
                        #expect(await consumer.next(until: .now + .milliseconds(300)) == nil)
                        let total =
                            first.count("publish_total{result=\"confirmed\"}")
                            + second.count("publish_total{result=\"confirmed\"}")
                        #expect(total == 240)
                    }
                }
            }
        }
    }

    @Test func `without a consumer the row waits in the database`() async throws {
        try await RelayStage.with { stage in
            try await stage.outbox.commit()
            try await stage.withRelay { relay in
                let asked = try await eventually {
                    relay.metrics.exposition().contains("queue_ready{queue=\"\(RelayStage.queue)\"}")
                }
                #expect(asked)
                try await stage.withConsumer(of: OutboxFixture.fcmRoute.queue) { _ in
                    let rows = try await stage.dueRows("lease_token IS NOT NULL")
                    #expect(rows == 0)
                }
                try await stage.withConsumer { consumer in
                    #expect(await consumer.next(until: soon) != nil)
                }
            }
        }
    }

    @Test func `a route paused by hand is left alone until it is resumed`() async throws {
        try await RelayStage.with { stage in
            try await stage.outbox.admin.execute("UPDATE delivery.route_state SET hand_paused = true WHERE route > 0")
            try await stage.outbox.commit()
            try await stage.withConsumer { consumer in
                try await stage.withRelay { _ in
                    #expect(await consumer.next(until: .now + .milliseconds(500)) == nil)
                    let rows = try await stage.dueRows("lease_token IS NULL")
                    #expect(rows == 1)
                    try await stage.outbox.admin.execute("UPDATE delivery.route_state SET hand_paused = false")
                    #expect(await consumer.next(until: soon) != nil)
                }
            }
        }
    }

    @Test func `a queue gets no more than its cap`() async throws {
        var configuration = RunningRelay.quick
        configuration.flow.most = 5
        configuration.flow.least = 5
        try await RelayStage.with(devices: 4) { stage in
            try await stage.outbox.commit(10)
            try await stage.withConsumer(prefetch: 1) { consumer in
                try await stage.withRelay(configuration) { _ in
                    #expect(await consumer.next(until: soon) != nil)
                    let reached = try await stage.eventuallyDue("published_at IS NOT NULL", 6)
                    #expect(reached)
                    #expect(await consumer.next(until: .now + .milliseconds(500)) == nil)
                    let rows = try await stage.dueRows("lease_token IS NULL")
                    #expect(rows == 34)
                }
            }
        }
    }

    @Test func `while too many outcomes wait no hint goes, but events do`() async throws {
        var configuration = RunningRelay.quick
        configuration.outcomesCap = 1
        try await RelayStage.with { stage in
            let connection = try await Connection.open(
                try AMQP.ConnectionSettings(url: stage.host.amqpURL), name: "test")
            for _ in 0..<2 {
                let message = Message(
                    exchange: "", routingKey: "recorder.outcomes", messageID: "o", type: "outcome.v1", body: [])
                #expect(await connection.publish(message, deadline: soon) == .confirmed)
            }
            await connection.close()
            try await stage.outbox.commit()
            try await stage.outbox.announce()
            try await stage.withConsumer { consumer in
                try await stage.withRelay(configuration) { _ in
                    let reached = try await stage.eventuallyDue("true", 1)
                    #expect(reached)
                    #expect(await consumer.next(until: .now + .milliseconds(300)) == nil)
                    try await stage.withConsumer(of: "recorder.outcomes") { _ in
                        #expect(await consumer.next(until: soon) != nil)
                    }
                }
            }
        }
    }
}
