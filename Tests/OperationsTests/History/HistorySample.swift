import AMQP
import Delivery
import Postgres

@testable import Operations

/// One job with one deferred entry, to be changed by tests.
enum HistorySample {
    static let now = StatusSample.now
    static let job = Identifier("5e1f0c3a-7d2b-4c4e-9a6f-0123456789ab")!
    static let entry = Identifier("0a0b0c0d-0e0f-4a0b-8c0d-0e0f0a0b0c0d")!
    static let device = Identifier("d0d1d2d3-d4d5-4dd6-8dd7-d8d9dadbdcdd")!

    static func ago(_ seconds: Int64) -> Timestamp { now + .seconds(-seconds) }

    static var deferred: JobHistory {
        var entry = EntryHistory(
            entry: entry, createdAt: ago(753), device: device, platform: "ios", isDeviceActive: true,
            deviceState: "pending")
        entry.state = "pending"
        entry.counters.seq = 3
        entry.counters.failures = 2
        entry.due = DueHistory(
            route: "apns.production.cheqi", queue: "hints.apns.production.cheqi", dueAt: ago(-42),
            firstFailedAt: ago(740), isLeased: false, lastError: "deferred 503 ServiceUnavailable")
        entry.tokens = [token("active", ago(86_400)), token("replaced", ago(999_999))]
        entry.letters = [
            DeadLetterHistory(
                number: 17, queue: "outbox", seq: 2, reason: "silent", state: "replayed", recordedAt: ago(700),
                repeats: 0)
        ]
        var history = JobHistory(
            now: now, job: job, account: "account-1", documentType: "RECEIPT", createdAt: ago(753),
            expiresAt: ago(-2_591_247), recipients: 0)
        history.relayConnections = 3
        history.entries = [entry]
        history.audit = [
            AuditLine(
                at: ago(300), actor: "anna@ops1", action: "outbox retry-now", subject: "route apns.production.cheqi",
                result: "done", rows: 1200)
        ]
        return history
    }

    static func token(_ state: String, _ registeredAt: Timestamp) -> TokenHistory {
        TokenHistory(
            fingerprint: Fingerprint(bytes: [UInt8](repeating: state == "active" ? 0xA1 : 0xB2, count: 32))!,
            route: "apns.production.cheqi", state: state, stateReason: state == "active" ? nil : "registered anew",
            stateAt: ago(86_400), registeredAt: registeredAt)
    }

    /// The same entry, leased by a relay until then; awaiting if it was published.
    static func leased(until: Timestamp, published: Bool) -> JobHistory {
        var history = deferred
        history.entries[0].due?.dueAt = ago(60)
        history.entries[0].due?.isLeased = true
        history.entries[0].due?.leaseUntil = until
        history.entries[0].due?.owner = device
        history.entries[0].due?.publishedAt = published ? ago(50) : nil
        return history
    }

    /// Every queue empty with a consumer, but those.
    static func broker(_ changes: [String: QueueAnswer] = [:]) -> BrokerAnswer {
        var queues: [String: QueueAnswer] = [:]
        for queue in ["hints.apns.production.cheqi"] + OutboxStatus.serviceQueues {
            queues[queue] = .counts(QueueCounts(ready: 0, consumers: 1))
        }
        return BrokerAnswer(queues: queues.merging(changes) { _, change in change })
    }
}
