public import Daemon
import Delivery

extension Configuration {
    /// Reads `MOBILE_DELIVERY_…`; what is wrong is collected in the reader.
    public init(_ reader: EnvironmentReader) {
        self.init()
        func duration(_ name: String, _ value: inout Duration, in range: ClosedRange<Duration>) {
            value = reader.duration("MOBILE_DELIVERY_\(name)", default: value, in: range)
        }
        func number(_ name: String, _ value: inout Int, in range: ClosedRange<Int>) {
            value = reader.integer("MOBILE_DELIVERY_\(name)", default: value, in: range)
        }
        duration("HINT_LEASE", &lease, in: .seconds(1) ... .seconds(3600))
        duration("EVENT_LEASE", &eventLease, in: .seconds(1) ... .seconds(3600))
        duration("RELAY_CONFIRM_WITHIN", &confirmWithin, in: .milliseconds(100) ... .seconds(60))
        number("RELAY_WINDOW", &window, in: 1...100_000)
        number("RELAY_CLAIM_LIMIT", &claimLimit, in: 1...10_000)
        duration("RELAY_ASK_EVERY", &askEvery, in: .milliseconds(10) ... .seconds(10))
        duration("RELAY_ASK_AGAIN_AFTER", &askAgainAfter, in: .milliseconds(5) ... .seconds(10))
        duration("RELAY_ANSWER_FRESH_FOR", &answerFreshFor, in: .milliseconds(100) ... .seconds(60))
        number("RELAY_QUEUE_CAP", &flow.most, in: 1...1_000_000)
        number("RELAY_QUEUE_CAP_LEAST", &flow.least, in: 1...1_000_000)
        // What leaves a queue in a quarter of the lease is sent well before the deadline.
        flow.memory = max(.seconds(1), lease / 4)
        duration("RELAY_QUEUE_CAP_MEMORY", &flow.memory, in: .seconds(1) ... .seconds(600))
        number("RELAY_OUTCOMES_CAP", &outcomesCap, in: 1...10_000_000)
        duration("RELAY_PROOF_MARGIN", &proofMargin, in: .zero ... .seconds(3600))
        duration("RELAY_STALE_AFTER", &staleAfter, in: .seconds(1) ... .seconds(86_400))
        duration("RELAY_FLOOR_SLACK", &floorSlack, in: .zero ... .seconds(60))
        duration("RELAY_SWEEP_EVERY", &sweepEvery, in: .milliseconds(10) ... .seconds(60))
        duration("RELAY_POLL_BUSY", &pace.busy, in: .milliseconds(1) ... .seconds(10))
        duration("RELAY_POLL_IDLE", &pace.idle, in: .milliseconds(1) ... .seconds(60))
        duration("RELAY_BREAKER_FIRST", &breakerFirst, in: .milliseconds(10) ... .seconds(60))
        duration("RELAY_BREAKER_LONGEST", &breakerLongest, in: .milliseconds(10) ... .seconds(3600))
        number("RELAY_SUSPECT_AFTER", &suspectAfter, in: 1...100)
        number("RELAY_BURY_AFTER", &buryAfter, in: 1...100)
        number("RELAY_SILENT_AFTER", &silentAfter, in: 1...1000)
        duration("RELAY_SETTLE_EVERY", &settleEvery, in: .milliseconds(1) ... .seconds(5))
        number("RELAY_SETTLE_AT", &settleAt, in: 1...10_000)
        duration("RELAY_UNREADY_AFTER", &unreadyAfter, in: .seconds(1) ... .seconds(3600))
        duration("RELAY_MEASURE_EVERY", &measureEvery, in: .seconds(1) ... .seconds(3600))
        duration("RELAY_PARTITIONS_EVERY", &partitionsEvery, in: .seconds(1) ... .seconds(86_400))
        duration("OUTBOX_COUNT_EVERY", &countEvery, in: .zero ... .seconds(3600))
        duration("HISTORY_RETENTION", &historyRetention, in: .zero ... .seconds(90 * 86_400))
        duration("EVENT_RETENTION", &eventRetention, in: .zero ... .seconds(90 * 86_400))
        duration("RELAY_OLD_SNAPSHOT_AFTER", &oldSnapshotAfter, in: .seconds(1) ... .seconds(86_400))
    }
}
