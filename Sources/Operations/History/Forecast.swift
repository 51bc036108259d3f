import AMQP
import Delivery
import Postgres

/// What will happen to an entry next, and when: a sentence from facts, decided here alone.
struct Forecast {
    let history: JobHistory
    let entry: EntryHistory
    /// Of the entry's queue, of `recorder.outcomes` and `dead.index`.
    let broker: BrokerAnswer

    private var now: Timestamp { history.now }

    /// Crashes after which the relay publishes a row alone; silences and failures that end an entry. Defaults of settings.
    static let suspectAfter = 3
    static let silentAfter = 10

    var sentence: String {
        guard let state = entry.state else {
            return "Its day of history was dropped: the job expired more than a week ago. Nothing is pushed any more."
        }
        guard state == "pending" else { return ended(state) }
        guard let due = entry.due else {
            return "Pending without a row in due: that should not be. The relay will not find it; report it."
        }
        if let final = willEnd() { return final }
        if let paused = pausedByHand(due) { return paused }
        switch due.phase(at: now) {
        case .due: return whenDue(due)
        case .deferred:
            return "\(when(due.dueAt)) it is due again" + (tokenNote ?? "") + "; then " + lowered(whenDue(due))
        case .leased:
            return "A relay (\(due.owner?.description ?? "unknown")) is publishing it. If it says nothing "
                + "\(until(due.leaseUntil)), the row is due again and counts one crash."
        case .awaiting:
            return "The broker or a sender has it. Its outcome is expected \(until(due.leaseUntil)); without one it is "
                + "published again once that is proven safe, and counts one silence."
        case .lapsed: return lapsed(due)
        }
    }

    // MARK: Ended

    private func ended(_ state: String) -> String {
        let phone = phoneNote
        switch state {
        case "accepted":
            return "The provider accepted it, which is no proof that the phone has it. Nothing more is pushed. \(phone)"
        case "superseded": return "The device was done before it was pushed (again). Nothing more is pushed."
        case "cancelled": return "The job was cancelled or the device revoked. Nothing more is pushed."
        case "no_token": return "The device had no push token. Nothing is pushed. \(phone)"
        case "expired" where entry.reason == "operator":
            return "An operator ended it with `outbox expire`. Nothing more is pushed. \(phone)"
        case "expired": return "The job expired. Nothing more is pushed."
        default:
            return
                "It failed (\(entry.reason?.printable ?? "no reason")). Nothing more is pushed unless its dead letter is replayed. \(phone)"
        }
    }

    private var phoneNote: String {
        switch entry.deviceState {
        case "acknowledged": "The phone has acknowledged the job."
        case "pending" where history.expiresAt > now: "The phone finds the job by itself at its next sync."
        default: "For this device the job is over (\(entry.deviceState))."
        }
    }

    // MARK: Pending

    /// What the relay finds at its next claim, whatever else holds.
    private func willEnd() -> String? {
        let next = "At its next claim the relay ends the entry as"
        if entry.deviceState == "acknowledged" || entry.deviceState == "failed" { return "\(next) superseded." }
        if history.cancelledAt != nil || !entry.isDeviceActive { return "\(next) cancelled." }
        if history.expiresAt <= now { return "\(next) expired, or the coordinator does." }
        if !entry.tokens.contains(where: { ["active", "set_aside"].contains($0.state) }) {
            return "\(next) no_token; a new registration before that sends it on."
        }
        return nil
    }

    private func pausedByHand(_ due: DueHistory) -> String? {
        guard due.hand.isPaused, [.due, .deferred].contains(due.phase(at: now)) else { return nil }
        return "It waits: route \(due.route) is paused by hand\(due.hand.by.map { " by \($0.printable)" } ?? ""). "
            + "`mobile-delivery route resume \(due.route)` lets it go."
    }

    private func whenDue(_ due: DueHistory) -> String {
        if due.phase(at: now) == .due, let tokenNote { return "The relay puts it off\(tokenNote)." }
        if history.relayConnections == 0 { return "It waits: no relay is connected to the database." }
        switch broker[due.queue] {
        case .missing:
            return "It waits: queue \(due.queue) is missing. `mobile-delivery topology apply` makes it."
        case .counts(let counts) where counts.consumers == 0:
            return "It waits in PostgreSQL: no sender consumes \(due.queue)"
                + (due.seen.isPaused ? " (paused: \(due.seen.reason?.printable ?? "no reason given"))." : ".")
        default: break
        }
        if let outcomes = broker["recorder.outcomes"].counts, outcomes.consumers == 0, outcomes.ready > 0 {
            return "A relay publishes it unless recorder.outcomes is full: no ack-recorder consumes it."
        }
        let alone = entry.counters.crashes >= Forecast.suspectAfter ? ", alone, because relays died with it" : ""
        return "A relay claims it within a second and publishes it to \(due.queue)\(alone)."
    }

    private func lapsed(_ due: DueHistory) -> String {
        let silence = entry.counters.silences + 1
        let count =
            silence >= Forecast.silentAfter
            ? "which ends it as failed(silent)" : "silence \(silence) of \(Forecast.silentAfter)"
        let past = due.leaseUntil.map { " \(AgeText.distance($0, from: now))" } ?? ""
        let waiting = ["recorder.outcomes", "dead.index", due.queue].compactMap { queue -> String? in
            guard let counts = broker[queue].counts else { return nil }
            if counts.consumers == 0 { return "\(queue) has no consumer" }
            return counts.ready > 0 ? "\(queue) holds \(NumberText.counted(counts.ready, "message"))" : nil
        }
        let proof =
            waiting.isEmpty
            ? "once its queue, recorder.outcomes and dead.index were seen empty with a consumer 30 s after that"
            : "not yet: \(waiting.joined(separator: ", "))"
        return "Its deadline passed\(past) without an outcome. It is published again (\(count)) \(proof). "
            + "`mobile-delivery outbox release --awaiting --entry \(entry.entry)` does it now and may ring twice."
    }

    /// Why a claim would put it off.
    private var tokenNote: String? {
        guard
            let token = entry.tokens.first(where: { $0.state == "active" })
                ?? entry.tokens.first(where: { $0.state == "set_aside" })
        else { return nil }
        if token.state == "set_aside" {
            return " until token \(token.fingerprint.short) is judged"
                + (token.judgeAt.map { " (\(AgeText.distance($0, from: now)))" } ?? "")
        }
        if let notBefore = token.notBefore, notBefore > now {
            return " until token \(token.fingerprint.short) has cooled down (\(AgeText.distance(notBefore, from: now)))"
        }
        return nil
    }

    // MARK: Times

    private func when(_ instant: Timestamp) -> String {
        let distance = AgeText.distance(instant, from: now)
        return "\(distance.prefix(1).uppercased())\(distance.dropFirst()) (\(instant.utcText))"
    }

    private func until(_ instant: Timestamp?) -> String {
        instant.map { "by \($0.utcText) (\(AgeText.distance($0, from: now)))" } ?? "by its deadline"
    }

    private func lowered(_ sentence: String) -> String { sentence.prefix(1).lowercased() + sentence.dropFirst() }
}
