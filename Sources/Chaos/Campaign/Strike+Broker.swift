import Delivery
import LocalStack

/// Faults of the broker and of the way to it.
extension Strike {
    func stopBroker() async throws -> Felt {
        var lost = 0
        for _ in rounds {
            lost += try await count("reconnect_total", within: .seconds(20)) {
                await stage.stopBroker()
                try await hold(scale.outage)
                try await stage.startBroker()
            }
        }
        return Felt(effects: ["connections lost": lost])
    }

    func emptyBroker() async throws -> Felt {
        var lost = 0
        var inHand = 0
        for _ in rounds {
            try await load.burst(50)
            if try await stage.comesTrue(within: .seconds(10), { try await stage.audit.heldRows() > 100 }) {
                inHand += 1
            }
            lost += try await count("reconnect_total", within: .seconds(20)) { try await stage.emptyBroker() }
        }
        return Felt(effects: ["connections lost": lost, "times with rows in hand": inHand])
    }

    func freezeBroker() async throws -> Felt {
        var unknown = 0
        for _ in rounds {
            unknown += try await count(Self.unknown, within: .seconds(20)) {
                await stage.freezeBroker()
                try await cleaningUp {
                    await stage.thawBroker()
                } after: {
                    try await hold(scale.outage)
                }
            }
        }
        return Felt(effects: ["publishes unknown": unknown])
    }

    func raiseMemoryAlarm() async throws -> Felt {
        var blocked = 0
        for _ in rounds {
            blocked += try await count("blocked_seconds_total", within: .seconds(20)) {
                try await cleaningUp {
                    try? await stage.controlBroker(["set_vm_memory_high_watermark", "0.4"])
                } after: {
                    try await stage.controlBroker(["set_vm_memory_high_watermark", "0.00001"])
                    try await hold(scale.outage)
                }
            }
        }
        return Felt(effects: ["seconds blocked": blocked])
    }

    func loseConfirms() async throws -> Felt {
        var unknown = 0
        for stroke in schedule.strokes {
            let member = await fleet.members[stroke.relay]
            unknown += try await count(Self.unknown, within: .seconds(5)) {
                // The broker gets every message, and its confirms go nowhere.
                let victim = try await holding(member, .toClient, for: stroke.delay / 10).member
                victim.proxy.cut()
                victim.proxy.thaw()
            }
        }
        return Felt(effects: ["publishes unknown": unknown])
    }

    func fillQueues() async throws -> Felt {
        let policies = ["hints-apns", "hints-fcm"]
        var nacked = 0
        for _ in rounds {
            nacked += try await count(Self.nacked, within: .seconds(20)) {
                // What they do not take fills the queues.
                try await withoutSenders {
                    try await cleaningUp {
                        for policy in policies { try? await stage.broker.lift(policy) }
                    } after: {
                        for policy in policies { try await stage.broker.limit(policy, to: 2) }
                        // Well past leases, yet within the margin: what a frozen sender has in hand longer is a silence.
                        try await hold(min(scale.outage, Fault.quickLease * 3))
                    }
                }
            }
        }
        return Felt(effects: ["publishes refused": nacked])
    }

    func refuseEvents() async throws -> Felt {
        var nacked = 0
        var confirmed = 0
        for _ in rounds {
            nacked += try await count(Self.nacked, within: .seconds(20)) {
                try await cleaningUp {
                    try? await stage.broker.lift("coordinator")
                } after: {
                    try await stage.broker.limit("coordinator", to: 1)
                    let before = try await fleet.metric(Self.confirmed)
                    try await hold(min(scale.outage, .seconds(10)))
                    confirmed += try await fleet.metric(Self.confirmed) - before
                }
            }
        }
        return Felt(effects: ["events refused": nacked, "hints confirmed meanwhile": confirmed])
    }

    func removeBinding() async throws -> Felt {
        var returned = 0
        for round in rounds {
            let queue = stage.routes[round % stage.routes.count].queue
            returned += try await count(Self.returned, within: .seconds(20)) {
                try await stage.broker.unbind(queue, from: "hints")
                try await cleaningUp {
                    try? await stage.broker.bind(queue, to: "hints")
                } after: {
                    try await hold(min(scale.outage, .seconds(10)))
                }
            }
        }
        return Felt(effects: ["publishes returned": returned])
    }

    private static let unknown = "publish_total{result=\"unknown\"}"
    private static let nacked = "publish_total{result=\"nacked\"}"
    private static let returned = "publish_total{result=\"returned\"}"
    private static let confirmed = "publish_total{result=\"confirmed\"}"
}
