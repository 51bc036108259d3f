extension Fault {
    /// The relays that share the work under it.
    func relays(bouncer: UInt16?) -> [RelayFleet.Plan] {
        let plain = RelayFleet.Plan()
        switch self {
        case .relaysKilled: return [plain, plain, plain]
        case .clockAhead: return [Self.clock("+1h"), plain]
        case .clockBehind: return [Self.clock("-1h"), plain]
        case .pooled: return [RelayFleet.Plan(databasePort: bouncer), RelayFleet.Plan(databasePort: bouncer)]
        case .queueFull: return [Self.quick, Self.quick]
        case .sendersStopped: return [Self.modest, Self.modest]
        case .recorderStopped:
            // Otherwise thousands of outcomes would have to wait before the relays hold back.
            var held = Self.modest
            held.settings["MOBILE_DELIVERY_RELAY_OUTCOMES_CAP"] = "1"
            return [held, held]
        case .relayFrozen, .brokerStopped, .brokerEmptied, .brokerFrozen, .memoryAlarm, .confirmsLost,
            .eventsRefused, .bindingRemoved, .headersTooLarge, .databaseRestarted, .databaseAway:
            return [plain, plain]
        }
    }

    /// Ten of its deadlines are to pass.
    static let quickLease = Duration.seconds(2)
    /// Nothing is lost meanwhile, so nothing has to be proven over; a machine that stalls shall not look like it.
    private static let quick = RelayFleet.Plan(settings: [
        "MOBILE_DELIVERY_HINT_LEASE": "2s", "MOBILE_DELIVERY_RELAY_PROOF_MARGIN": "15s",
    ])

    /// Where thousands of rows wait: no more is claimed ahead than a busy machine sends in a second, because what comes too
    /// late is only published again.
    private static var modest: RelayFleet.Plan {
        var plan = quick
        plan.settings["MOBILE_DELIVERY_RELAY_WINDOW"] = "50"
        plan.settings["MOBILE_DELIVERY_RELAY_QUEUE_CAP_LEAST"] = "20"
        return plan
    }

    /// Debian's libfaketime; timers keep the true pace. It puts a variable into the environment before `main`, behind which
    /// a Swift program no longer finds its arguments: `env` hands on an environment that has it already.
    private static func clock(_ offset: String) -> RelayFleet.Plan {
        RelayFleet.Plan(
            settings: [
                "LD_PRELOAD": "/usr/lib/x86_64-linux-gnu/faketime/libfaketime.so.1", "FAKETIME": offset,
                "FAKETIME_DONT_FAKE_MONOTONIC": "1",
            ], wrapper: "/usr/bin/env")
    }
}
