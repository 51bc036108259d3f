import AMQP
import Daemon
import TestSupport
import Testing
import Topology

@Suite(.serialized, .timeLimit(.minutes(5)))
struct `Applying the topology to a broker` {
    @Test func `leaves nothing to do`() async throws {
        try await LiveServers.withBroker { _, _, setup in
            let changes = try await setup.apply()
            #expect(changes.count > 40)
            let plan = try await setup.plan()
            #expect(plan.isEmpty && plan.extras.isEmpty, "\(plan)")
        }
    }

    @Test func `moves what a consumer rejects to its dead queue and to the index`() async throws {
        try await LiveServers.withBroker { desired, _, setup in
            try await setup.apply()
            var settings = try ConnectionSettings(url: try TestServers.amqpURL)
            settings.virtualHost = desired.virtualHost
            let connection = try await Connection.open(settings, name: "test")
            let message = Message(
                exchange: "events", routingKey: "job.completed", messageID: "1", type: "job.completed.v1", body: [])
            #expect(await connection.publish(message, deadline: .now + .seconds(10)) == .confirmed)
            let consumer = Consumer(
                settings, queue: "coordinator.events", name: "test", prefetch: PrefetchPolicy(maximum: 1))
            let running = Task { await consumer.run() }
            if let delivery = await consumer.next(until: .now + .seconds(10)) { await consumer.reject(delivery) }
            let moved = try await eventually {
                let dead = try await connection.counts(of: "coordinator.dead")?.ready
                let index = try await connection.counts(of: "dead.index")?.ready
                return dead == 1 && index == 1
            }
            #expect(moved)
            running.cancel()
            await running.value
            await connection.close()
        }
    }

    @Test func `refuses to change a policy in a way that deletes waiting dead letters`() async throws {
        try await LiveServers.withBroker { desired, api, setup in
            try await setup.apply()
            var changed = desired
            changed.definitions.policies[0].definition["dead-letter-strategy"] = .text("at-most-once")
            await #expect(throws: CommandFailure.self) {
                try await BrokerSetup(changed, api: api).apply()
            }
        }
    }

    @Test func `asks for the password of a user that it has to make`() async throws {
        try await LiveServers.withBroker(users: true) { desired, _, setup in
            let failure = await #expect(throws: CommandFailure.self) { try await setup.apply() }
            #expect(failure?.line.contains("_BROKER_PASSWORD") == true)
        }
    }
}
