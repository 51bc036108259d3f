import Daemon
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

    @Test func `mends a binding that was removed`() async throws {
        try await LiveServers.withBroker { desired, _, setup in
            try await setup.apply()
            var fewer = desired
            let lost = fewer.definitions.bindings.removeFirst()
            let other = BrokerPlan(
                desired: desired, live: LiveBroker(hasVirtualHost: true, definitions: fewer.definitions))
            #expect(other.changes == [.bind(lost)])
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
