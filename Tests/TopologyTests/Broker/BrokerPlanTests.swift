import Testing
import Topology

struct `The plan` {
    private func live(_ broker: DesiredBroker) -> LiveBroker {
        let users = broker.users.map { user in
            var user = user
            for exchange in broker.definitions.topicExchanges {
                user.topicPermissions[exchange] = user.topicPermission(on: exchange)
            }
            return user
        }
        return LiveBroker(hasVirtualHost: true, definitions: broker.definitions, users: users)
    }

    @Test func `is empty for a broker that has everything`() throws {
        let broker = try SampleBroker.desired()
        #expect(BrokerPlan(desired: broker, live: live(broker)).isEmpty)
    }

    @Test func `makes policies before the queues that need them`() throws {
        let plan = BrokerPlan(desired: try SampleBroker.desired(), live: LiveBroker())
        let lastPolicy = plan.changes.lastIndex { if case .putPolicy = $0 { true } else { false } }
        let firstQueue = plan.changes.firstIndex { if case .createQueue = $0 { true } else { false } }
        #expect(try #require(lastPolicy) < #require(firstQueue))
    }

    @Test func `binds again what was unbound`() throws {
        let broker = try SampleBroker.desired()
        var live = live(broker)
        let lost = live.definitions.bindings.removeFirst()
        #expect(BrokerPlan(desired: broker, live: live).changes == [.bind(lost)])
    }

    @Test func `cannot mend a queue of another type`() throws {
        let broker = try SampleBroker.desired()
        var live = live(broker)
        live.definitions.queues[0].arguments["x-queue-type"] = .text("classic")
        let plan = BrokerPlan(desired: broker, live: live)
        #expect(plan.conflicts.map(\.subject) == ["queue coordinator.events"])
    }

    @Test func `reports a binding of somebody else to a queue of ours`() throws {
        let broker = try SampleBroker.desired()
        var live = live(broker)
        live.definitions.bindings.append(BindingDefinition("events", to: "recorder.acks", key: "#"))
        let plan = BrokerPlan(desired: broker, live: live)
        #expect(plan.extras.map(\.subject) == ["binding events → recorder.acks (#)"])
    }

    @Test func `names a policy change that would delete waiting dead letters`() throws {
        let broker = try SampleBroker.desired()
        let live = live(broker)
        var changed = broker
        changed.definitions.policies[0].definition["dead-letter-strategy"] = .text("at-most-once")
        let plan = BrokerPlan(desired: changed, live: live)
        #expect(plan.deletions.map(\.subject) == ["policy hints-apns"])
    }

    @Test func `closes every topic exchange that a user has no keys on`() throws {
        let plan = BrokerPlan(desired: try SampleBroker.desired(), live: LiveBroker())
        let gateway = plan.changes.filter { change in
            if case .setTopicPermission("gateway", _, UserDefinition.none) = change { true } else { false }
        }
        #expect(gateway.count == 6)
    }
}
