import AMQP
import Delivery
import Postgres
import Testing

@testable import Operations

/// What happens next, for every state of an entry.
struct ForecastTests {
    private func sentence(
        _ history: JobHistory, _ broker: BrokerAnswer = HistorySample.broker(),
        _ change: (inout JobHistory) -> Void = { _ in }
    ) -> String {
        var history = history
        change(&history)
        return Forecast(history: history, entry: history.entries[0], broker: broker).sentence
    }

    private func deferred(_ broker: BrokerAnswer = HistorySample.broker(), _ change: (inout EntryHistory) -> Void)
        -> String
    {
        sentence(HistorySample.deferred, broker) { change(&$0.entries[0]) }
    }

    private func due(_ broker: BrokerAnswer = HistorySample.broker(), _ change: (inout EntryHistory) -> Void = { _ in })
        -> String
    {
        deferred(broker) {
            $0.due?.dueAt = HistorySample.ago(5)
            change(&$0)
        }
    }

    @Test func `deferred: when, and what then`() {
        #expect(
            sentence(HistorySample.deferred)
                == "In 42s (2026-12-01 03:13:27Z) it is due again; then a relay claims it within a second and publishes it "
                + "to hints.apns.production.cheqi.")
    }

    @Test func `due: a relay claims it, alone if relays died with it`() {
        #expect(due() == "A relay claims it within a second and publishes it to hints.apns.production.cheqi.")
        #expect(due { $0.counters.crashes = 3 }.hasSuffix(", alone, because relays died with it."))
    }

    @Test func `due: nobody consumes the queue`() {
        let answer = HistorySample.broker(["hints.apns.production.cheqi": .counts(QueueCounts(ready: 7, consumers: 0))])
        #expect(due(answer) == "It waits in PostgreSQL: no sender consumes hints.apns.production.cheqi.")
        let paused = due(answer) {
            $0.due?.seen.isPaused = true
            $0.due?.seen.reason = "credentials"
        }
        #expect(paused.hasSuffix("(paused: credentials)."))
        #expect(
            due(HistorySample.broker(["hints.apns.production.cheqi": .missing])).contains(
                "`mobile-delivery topology apply`"))
    }

    @Test func `due: there is no relay`() {
        let text = sentence(HistorySample.deferred) {
            $0.relayConnections = 0
            $0.entries[0].due?.dueAt = HistorySample.ago(5)
        }
        #expect(text == "It waits: no relay is connected to the database.")
    }

    @Test func `due: paused by hand, with the command that lets it go`() {
        let text = due {
            $0.due?.hand.isPaused = true
            $0.due?.hand.by = "anna"
        }
        #expect(
            text == "It waits: route apns.production.cheqi is paused by hand by anna. "
                + "`mobile-delivery route resume apns.production.cheqi` lets it go.")
    }

    @Test func `due: its token is set aside or cools down`() {
        let judged = due {
            $0.tokens[0].state = "set_aside"
            $0.tokens[0].judgeAt = HistorySample.ago(-90)
        }
        #expect(judged == "The relay puts it off until token a1a1a1a1 is judged (in 1m30s).")
        let cooling = due { $0.tokens[0].notBefore = HistorySample.ago(-60) }
        #expect(cooling == "The relay puts it off until token a1a1a1a1 has cooled down (in 1m00s).")
    }

    @Test func `leased and awaiting: until when`() {
        let leased = sentence(HistorySample.leased(until: HistorySample.ago(-60), published: false))
        #expect(
            leased.contains("is publishing it") && leased.contains("by 2026-12-01 03:13:45Z (in 1m00s)")
                && leased.contains("one crash"))
        let awaiting = sentence(HistorySample.leased(until: HistorySample.ago(-60), published: true))
        #expect(
            awaiting.hasPrefix(
                "The broker or a sender has it. Its outcome is expected by 2026-12-01 03:13:45Z (in 1m00s)"))
        #expect(
            sentence(HistorySample.leased(until: HistorySample.ago(1), published: false)).hasPrefix("A relay claims it")
        )
    }

    @Test func `lapsed: what the proof still lacks`() {
        let history = HistorySample.leased(until: HistorySample.ago(30), published: true)
        let free = sentence(history)
        #expect(
            free.hasPrefix(
                "Its deadline passed 30s ago without an outcome. It is published again (silence 1 of 10) once"))
        #expect(free.contains("`mobile-delivery outbox release --awaiting --entry \(HistorySample.entry)`"))
        let held = sentence(
            history,
            HistorySample.broker([
                "recorder.outcomes": .counts(QueueCounts(ready: 12, consumers: 1)),
                "hints.apns.production.cheqi": .counts(QueueCounts(ready: 0, consumers: 0)),
            ]))
        #expect(
            held.contains("not yet: recorder.outcomes holds 12 messages, hints.apns.production.cheqi has no consumer"))
        #expect(sentence(history) { $0.entries[0].counters.silences = 9 }.contains("which ends it as failed(silent)"))
    }

    @Test(arguments: [
        ("acknowledged", "superseded"), ("failed", "superseded"),
    ])
    func `pending, but the device is done`(_ state: String, _ end: String) {
        #expect(due { $0.deviceState = state } == "At its next claim the relay ends the entry as \(end).")
    }

    @Test func `pending, but nobody will push it`() {
        #expect(due { $0.isDeviceActive = false }.contains("as cancelled."))
        #expect(due { $0.tokens = [] }.contains("as no_token"))
        #expect(sentence(HistorySample.deferred) { $0.cancelledAt = HistorySample.ago(1) }.contains("as cancelled."))
        #expect(
            sentence(HistorySample.deferred) { $0.expiresAt = HistorySample.ago(1) }.contains(
                "as expired, or the coordinator"))
        #expect(deferred { $0.due = nil }.contains("that should not be"))
    }

    @Test(arguments: [
        ("accepted", "no proof that the phone has it"), ("superseded", "The device was done"),
        ("cancelled", "cancelled or the device revoked"), ("no_token", "no push token"),
        ("expired", "The job expired."),
        ("failed", "unless its dead letter is replayed"),
    ])
    func `ended: nothing more is pushed`(_ state: String, _ words: String) {
        let text = deferred {
            $0.state = state
            $0.due = nil
        }
        #expect(
            text.contains(words) && text.contains("othing more is pushed")
                || state == "no_token" && text.contains(words))
    }

    @Test func `ended: what becomes of the phone`() {
        let open = deferred { $0.state = "accepted" }
        #expect(open.hasSuffix("The phone finds the job by itself at its next sync."))
        let done = deferred {
            $0.state = "accepted"
            $0.deviceState = "acknowledged"
        }
        #expect(done.hasSuffix("The phone has acknowledged the job."))
        let byOperator = deferred {
            $0.state = "expired"
            $0.reason = "operator"
        }
        #expect(byOperator.hasPrefix("An operator ended it with `outbox expire`."))
        #expect(deferred { $0.state = nil }.contains("history was dropped"))
    }
}
