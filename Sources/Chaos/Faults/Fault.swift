/// What befalls a running outbox in one campaign.
public enum Fault: String, CaseIterable, Sendable, CustomStringConvertible {
    case relaysKilled = "relays-killed"
    case relayFrozen = "relay-frozen"
    case clockAhead = "clock-ahead"
    case clockBehind = "clock-behind"
    case brokerStopped = "broker-stopped"
    case brokerEmptied = "broker-emptied"
    case brokerFrozen = "broker-frozen"
    case memoryAlarm = "memory-alarm"
    case confirmsLost = "confirms-lost"
    case queueFull = "queue-full"
    case eventsRefused = "events-refused"
    case bindingRemoved = "binding-removed"
    case headersTooLarge = "headers-too-large"
    case databaseRestarted = "database-restarted"
    case databaseAway = "database-away"
    case pooled
    case sendersStopped = "senders-stopped"
    case recorderStopped = "recorder-stopped"

    public var description: String { rawValue }

    public var summary: String {
        switch self {
        case .relaysKilled: "kill -9 of relays, at random instants and at named steps of a publish"
        case .relayFrozen: "a relay with messages on their way is frozen for longer than its leases, then goes on"
        case .clockAhead: "the clock of one relay is an hour ahead"
        case .clockBehind: "the clock of one relay is an hour behind"
        case .brokerStopped: "the broker is stopped and started again"
        case .brokerEmptied: "the broker loses everything it held; the topology is applied anew"
        case .brokerFrozen: "the broker is frozen: its connections stay open and nothing moves"
        case .memoryAlarm: "the broker raises its memory alarm and blocks who publishes"
        case .confirmsLost: "connections break after the publish and before the confirm"
        case .queueFull: "the route queues are at their limit and refuse"
        case .eventsRefused: "the queue of the events refuses, those of the hints do not"
        case .bindingRemoved: "a route queue loses its binding and gets it back"
        case .headersTooLarge: "events whose headers no message can carry lie between the others"
        case .databaseRestarted: "PostgreSQL is restarted, in good order and as after a crash"
        case .databaseAway: "PostgreSQL is away for longer than a lease"
        case .pooled: "PgBouncer in transaction mode is between relays and PostgreSQL; a relay is killed"
        case .sendersStopped: "no sender runs for ten deadlines"
        case .recorderStopped: "no recorder runs for ten deadlines"
        }
    }

    /// What decision 2 lets happen under it and nothing else may.
    var allowance: Allowance {
        switch self {
        case .relaysKilled, .clockAhead, .clockBehind, .queueFull, .eventsRefused, .bindingRemoved,
            .databaseRestarted, .databaseAway, .pooled, .sendersStopped, .recorderStopped:
            Allowance()
        // A publish of which nobody knows is kept as if confirmed; when it did not arrive it ends as a silence.
        // So does a relay that wakes after its leases keep what it had written.
        case .relayFrozen, .brokerStopped, .brokerFrozen, .memoryAlarm, .confirmsLost: Allowance(silences: true)
        case .brokerEmptied: Allowance(silences: true, lostEvents: true)
        case .headersTooLarge: Allowance(buriedEvents: true)
        }
    }

    /// How often it strikes when nobody says so.
    public var usualRounds: Int {
        switch self {
        case .relaysKilled: 200
        case .confirmsLost: 20
        case .databaseRestarted, .relayFrozen: 4
        case .headersTooLarge: 50
        case .brokerStopped, .brokerEmptied, .brokerFrozen, .memoryAlarm, .queueFull, .eventsRefused, .bindingRemoved,
            .databaseAway, .pooled:
            2
        case .clockAhead, .clockBehind, .sendersStopped, .recorderStopped: 1
        }
    }
}
