import Testing
import Topology

struct `The linter` {
    @Test func `finds nothing in the files of this repository`() throws {
        let outsiders = Outsiders(
            events: [Outsiders.Subscription(name: "books", keys: ["job.*"])],
            downstream: [Outsiders.Subscription(name: "erp", keys: ["RECEIPT.#"])])
        let findings = BrokerLint(try SampleBroker.desired(outsiders: outsiders)).findings()
        #expect(findings.map(\.description) == [])
    }

    @Test(arguments: PlantedFault.all)
    func `finds a planted fault`(fault: PlantedFault) throws {
        var broker = try SampleBroker.desired()
        fault.plant(&broker)
        let findings = BrokerLint(broker).findings().map(\.description)
        #expect(findings.contains { $0.contains(fault.line) }, "\(fault.line) is not in \(findings)")
    }
}

/// One way to break the topology and the words by which the linter must say so.
struct PlantedFault: Sendable, CustomTestStringConvertible {
    let line: String
    let plant: @Sendable (inout DesiredBroker) -> Void

    var testDescription: String { line }

    private static func policy(
        _ name: String, _ line: String, _ change: @escaping @Sendable (inout PolicyDefinition) -> Void
    ) -> PlantedFault {
        PlantedFault(line: line) { broker in
            let index = broker.definitions.policies.firstIndex { $0.name == name }!
            change(&broker.definitions.policies[index])
        }
    }

    private static func user(
        _ name: String, _ line: String, _ change: @escaping @Sendable (inout UserDefinition) -> Void
    ) -> PlantedFault {
        PlantedFault(line: line) { broker in
            let index = broker.users.firstIndex { $0.name == name }!
            change(&broker.users[index])
        }
    }

    static let all: [PlantedFault] = [
        PlantedFault(line: "queue recorder.acks: no binding leads to it") { broker in
            broker.definitions.bindings.removeAll { $0.destination == "recorder.acks" }
        },
        PlantedFault(line: "exchange results: key ack reaches no queue") { broker in
            broker.definitions.bindings.removeAll { $0.routingKey == "ack" }
        },
        PlantedFault(line: "exchange events: key job.completed reaches no queue") { broker in
            broker.definitions.bindings.removeAll { $0.source == "events" }
            broker.definitions.bindings.append(
                BindingDefinition("events", to: "coordinator.events", key: "job.submitted"))
            broker.definitions.queues.removeAll { $0.name == "events.x.sample" }
            broker.definitions.queues.append(QueueDefinition("events.x.sample"))
        },
        PlantedFault(line: "queue stray: no policy matches it") {
            $0.definitions.queues.append(QueueDefinition("stray"))
        },
        PlantedFault(line: "queue recorder.acks: defined more than once") {
            $0.definitions.queues.append(QueueDefinition("recorder.acks"))
        },
        PlantedFault(line: "queue parking: not a quorum queue") { broker in
            let index = broker.definitions.queues.firstIndex { $0.name == "parking" }!
            broker.definitions.queues[index].arguments["x-queue-type"] = .text("classic")
        },
        PlantedFault(line: "queue parking: argument x-max-length cannot be changed later") { broker in
            let index = broker.definitions.queues.firstIndex { $0.name == "parking" }!
            broker.definitions.queues[index].arguments["x-max-length"] = .number(5)
        },
        PlantedFault(line: "exchange dead: permissions on keys need a topic exchange, not direct") { broker in
            let index = broker.definitions.exchanges.firstIndex { $0.name == "dead" }!
            broker.definitions.exchanges[index].type = "direct"
        },
        PlantedFault(line: "binding nowhere → parking (x): no such exchange") {
            $0.definitions.bindings.append(BindingDefinition("nowhere", to: "parking", key: "x"))
        },
        PlantedFault(line: "queue recorder.acks: more than one policy") {
            $0.definitions.policies.append(
                PolicyDefinition("again", pattern: "^recorder", definition: ["delivery-limit": .number(5)]))
        },
        policy("parking", "policy parking: matches nothing") { $0.pattern = "^park$" },
        policy("parking", "policy parking: apply-to must be queues or exchanges") { $0.applyTo = "quorum_queues" },
        policy("recorder", "policy recorder: needs a delivery-limit") { $0.definition["delivery-limit"] = nil },
        policy("recorder", "policy recorder: needs a delivery-limit") { $0.definition["delivery-limit"] = .number(-1) },
        policy("recorder", "policy recorder: at-least-once needs overflow reject-publish") {
            $0.definition["overflow"] = .text("drop-head")
        },
        policy("recorder", "policy recorder: at-least-once needs a dead-letter-exchange") {
            $0.definition["dead-letter-exchange"] = nil
        },
        policy("recorder", "policy recorder: dead-letters without dead-letter-strategy at-least-once") {
            $0.definition["dead-letter-strategy"] = nil
        },
        policy("recorder", "policy recorder: no such dead-letter exchange: grave") {
            $0.definition["dead-letter-exchange"] = .text("grave")
        },
        policy("recorder", "policy recorder: dead letters must reach other.dead and dead.index") {
            $0.definition["dead-letter-routing-key"] = .text("other.dead")
        },
        policy("recorder", "policy recorder: message-ttl loses messages") { $0.definition["message-ttl"] = .number(1) },
        policy("dead-index", "queue dead.index: its dead letters lead back to it") {
            $0.definition["dead-letter-exchange"] = .text("dead")
        },
        policy("downstream-alternate", "exchange dead: has an alternate exchange") {
            $0.pattern = "^(downstream|dead)$"
        },
        policy("hints-fcm", "policy hints-fcm: not a regular expression") { $0.pattern = "^(hints" },
        user("gateway", "user gateway: may write to results with any key") { $0.topicPermissions = [:] },
        user("gateway", "user gateway: topic permission on hints, which it may not write to") {
            $0.topicPermissions["hints"] = ".*"
        },
        user("gateway", "user gateway: only administrators may configure") { $0.permissions.configure = "^x$" },
        user("gateway", "user gateway: may write to the broker's own exchanges") { $0.permissions.write = ".*" },
    ]
}
