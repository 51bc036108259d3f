import AMQP
import LocalStack
import Messages
import Postgres
import TestSupport
import Testing

/// Messages that cannot be read, and one that kills who reads it.
@Suite(.privateServers, .serialized, .timeLimit(.minutes(5))) struct PoisonTests {
    @Test func `a hint that kills its sender dies by the delivery limit, its neighbours are delivered`() async throws {
        try await RunningStack.with { running in
            let broker = BrokerAdministration(running.stack.site.servers, virtualHost: running.stack.site.virtualHost)
            try await broker.limitDeliveries("hints-apns", to: 3)
            // Others' phones: one that is told of another job finds this one too, and needs no hint any more.
            let others = RunningStack(
                stack: running.stack, phones: try await Phones.start(on: running.stack, account: "neighbours"))
            // Its sender dies while it asks for this one, and for the next ones it does not.
            try await running.stack.control.follow(
                script: #"{"rules":[{"match":{"provider":"apns"},"times":4,"do":{"hang":true}}]}"#)
            let poison = try await running.commitOne()
            var neighbours: [String] = []
            for death in 1...4 {
                let isInHand = try await eventually(within: .seconds(30)) {
                    try await running.stack.control.fitting().first.map { $0 >= death } ?? false
                }
                #expect(isInHand, "death \(death)")
                if death == 1 { neighbours = [try await others.commitOne(), try await others.commitOne()] }
                await running.stack.kill(.apnsSender)
                try await running.stack.start(.apnsSender)
            }
            let id = try await running.only(
                ["--reason", "delivery_limit"],
                says: "its consumer died again and again while it had the message: it is what kills it (delivery_limit)"
            )
            try await others.expectEvidence(of: neighbours)
            #expect(try await running.letters(["--job", poison]).count == 1)
            let replay = try await running.deadJSON(["replay", "--id", id])
            #expect(replay["replayed"]?.integer == 1, "\(replay)")
            try await running.expectEvidence(of: [poison])
            try await broker.lift("hints-apns")
            await broker.close()
        }
    }

    @Test(arguments: ["malformed", "unknown_version"])
    func `a hint that cannot be read ends its entry, which is replayed whole`(_ reason: String) async throws {
        try await RunningStack.with { running in
            try await running.execute(
                "UPDATE delivery.route_state SET hand_paused = true, hand_since = now(), hand_by = 'test' WHERE provider = 'apns'"
            )
            // Each relay has to have heard of it, or it takes the hint first.
            let isPaused = try await eventually {
                await running.stack.processes.contains {
                    $0.name == "relay" && $0.child.log.contains("route paused by hand")
                }
            }
            #expect(isPaused)
            let job = try await running.commitOne()
            let connection = try await Postgres.Connection.open(
                Postgres.ConnectionSettings(url: running.stack.site.databaseURL))
            let row = try await connection.query(
                """
                SELECT p.id::text AS id, concat_ws('.', 'hints', r.provider, nullif(r.environment, ''), r.app) AS queue
                  FROM delivery.push_outbox p JOIN delivery.due d ON d.entry = p.id JOIN delivery.route_state r USING (route)
                 WHERE r.provider = 'apns' AND p.job_id = \(job)::uuid
                """
            ).one()
            await connection.close()
            // As a relay of another version would have published it.
            try await running.publish(
                Message(
                    exchange: "hints", routingKey: try row["queue"], messageID: try row["id"], type: "hint.v1",
                    headers: ["md-seq": 0], body: Array((reason == "malformed" ? "{" : #"{"version":99}"#).utf8)))
            let id = try await running.only(
                ["--reason", reason], says: "does the cause still hold: yes, unless its consumer has been replaced")
            #expect(
                try await running.count("delivery.push_outbox WHERE job_id = '\(job)' AND \(RunningStack.appleFailed)")
                    == 1)
            try await running.execute("UPDATE delivery.route_state SET hand_paused = false")
            #expect(try await running.deadJSON(["replay", "--id", id])["replayed"]?.integer == 1)
            try await running.expectEvidence(of: [job])
        }
    }

    @Test func `an event that kills the coordinator is replayed byte for byte and handled`() async throws {
        try await RunningStack.with(settings: RunningStack.shortWaits) { running in
            let broker = BrokerAdministration(running.stack.site.servers, virtualHost: running.stack.site.virtualHost)
            try await broker.limitDeliveries("coordinator", to: 1)
            await running.stack.stop(.coordinator)
            let body = Array(#"{"version":1,"note":"not for a coordinator of today"}"#.utf8)
            try await running.publish(
                Message(
                    exchange: "events", routingKey: "job.submitted", messageID: "poison-1", type: "job.submitted.v1",
                    headers: ["traceparent": "00-1"], body: body))
            // Whoever takes it dies with it in hand.
            var isDead = false
            for _ in 1...10 where !isDead {
                let consumer = Consumer(
                    try AMQP.ConnectionSettings(url: running.stack.site.amqpURL(as: "coordinator")),
                    queue: "coordinator.events", name: "test/dies", prefetch: PrefetchPolicy(maximum: 1))
                let life = Task { await consumer.run() }
                _ = await consumer.next(until: .now + .seconds(2))
                life.cancel()
                await life.value
                isDead = try await running.count("delivery.dead_letter WHERE message_id = 'poison-1'") == 1
            }
            let id = try await running.only(
                ["--queue", "coordinator.dead"], says: "it is what kills it (delivery_limit)")
            try await broker.lift("coordinator")
            let replay = try await running.deadJSON(["replay", "--id", id])
            #expect(replay["messages"]?.integer == 1, "\(replay)")
            let consumer = Consumer(
                try AMQP.ConnectionSettings(url: running.stack.site.amqpURL(as: "coordinator")),
                queue: "coordinator.events", name: "test/reads", prefetch: PrefetchPolicy(maximum: 1))
            let life = Task { await consumer.run() }
            var arrived = await consumer.next(until: .now + .seconds(20))
            while let other = arrived, other.messageID != "poison-1" {
                await consumer.ack(other)
                arrived = await consumer.next(until: .now + .seconds(20))
            }
            let message = try #require(arrived)
            #expect(message.body == body && message.headers["md-replay"] == 1)
            #expect(!message.headers.keys.contains { $0.hasPrefix("x-") && $0 != "x-delivery-count" })
            life.cancel()
            await life.value
            // The coordinator of today says itself that it cannot read it, and that is another letter.
            try await running.stack.start(.coordinator)
            let second = try await running.letters(["--queue", "coordinator.dead"])
            #expect(second.map { $0["seq"]?.integer } == [1] && second.first?["reason"]?.string == "malformed")
            await broker.close()
        }
    }
}
