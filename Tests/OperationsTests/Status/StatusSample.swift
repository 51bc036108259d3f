import AMQP
import Delivery
import Postgres

@testable import Operations

/// A bad night: one route paused by hand and seen paused, one late, a queue without a consumer.
enum StatusSample {
    static let now = Timestamp(microseconds: 1_796_094_765_000_000)

    static func ago(_ seconds: Int64) -> Timestamp { now + .seconds(-seconds) }

    static var night: OutboxStatus {
        var apns = RouteLine(Route(provider: .apns, environment: "production", app: "cheqi"), number: 1)
        apns.due = 1_204_567
        apns.leased = 500
        apns.awaiting = 812
        apns.deferred = 3100
        apns.oldestAge = .seconds(192)
        apns.acceptedRate = 210.4
        apns.deferrals = [
            OutboxStatus.Deferral(reason: "deferred 503 ServiceUnavailable", rows: 2900, nextDueAt: now + .seconds(12)),
            OutboxStatus.Deferral(reason: "", rows: 200, nextDueAt: now + .seconds(95)),
        ]
        apns.hand.isPaused = true
        apns.hand.by = "anna@ops1"
        apns.hand.since = ago(847)
        apns.hand.reason = "APNs maintenance"
        apns.seen.isPaused = true
        apns.seen.reason = "credentials"
        apns.seen.since = ago(660)
        apns.seen.lastProbe = ago(30)
        apns.seen.instance = "sender-2"
        var fcm = RouteLine(Route(provider: .fcm, environment: "", app: "cheqi"), number: 2)
        fcm.lapsed = 3
        fcm.oldestAge = .seconds(4)
        fcm.acceptedRate = 3.25
        let events = RouteLine(nil, number: 0)
        var status = OutboxStatus(
            now: now, countAge: .seconds(4), countTook: .milliseconds(412), lines: [events, apns, fcm])
        status.broker = BrokerAnswer(queues: [
            "hints.apns.production.cheqi": .counts(QueueCounts(ready: 5000, consumers: 0)),
            "hints.fcm.cheqi": .counts(QueueCounts(ready: 0, consumers: 2)), "recorder.outcomes": .missing,
        ])
        status.deadLetters = [
            OutboxStatus.DeadLetterCount(queue: "hints.apns.dead", open: 12, uninstalled: 120),
            OutboxStatus.DeadLetterCount(queue: "outbox", open: 2, uninstalled: 0),
        ]
        status.leases = [
            OutboxStatus.LeaseCount(
                owner: Identifier("0f0e0d0c-0b0a-4908-8706-050403020100"), leased: 500, awaiting: 812)
        ]
        status.sessions = [
            OutboxStatus.ServiceSessions(service: "coordinator", count: 0),
            OutboxStatus.ServiceSessions(service: "relay", count: 6),
        ]
        status.health.snapshotAge = .seconds(7260)
        status.health.snapshotOwner = "postgres psql pid 4711"
        status.health.deadRows = 1203
        status.health.vacuumedAgo = .seconds(40)
        status.health.partitions = 38
        status.health.partitionsUntil = ago(-7 * 86_400)
        return status
    }
}
