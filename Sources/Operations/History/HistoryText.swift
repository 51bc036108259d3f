import Delivery
import Postgres

/// `outbox show` for people: what is, and in words what will be.
public struct HistoryText {
    private let history: JobHistory
    private let broker: BrokerAnswer
    private let style: Style
    private var lines: [String] = []

    public static func text(_ history: JobHistory, broker: BrokerAnswer, style: Style) -> String {
        var text = HistoryText(history: history, broker: broker, style: style)
        text.writeJob()
        for entry in history.entries { text.write(entry) }
        if history.entries.isEmpty { text.lines += ["", "no entries"] }
        text.writeAudit()
        return text.lines.joined(separator: "\n") + "\n"
    }

    private init(history: JobHistory, broker: BrokerAnswer, style: Style) {
        self.history = history
        self.broker = broker
        self.style = style
    }

    private mutating func writeJob() {
        lines.append(style.heading("job \(history.job)"))
        add("document", "\(history.documentType) of account \(history.account.printable)")
        add("committed", at(history.createdAt))
        add("expires", at(history.expiresAt))
        add("state", history.stateWords)
        add("fan-out", fanoutWords)
    }

    private var fanoutWords: String {
        let fanout = history.fanout
        guard history.recipients > 0 else { return "not required" }
        let recipients = NumberText.counted(history.recipients, "recipient")
        if let resendAt = fanout.resendAt { return "to \(recipients) again, asked for \(at(resendAt))" }
        if let done = fanout.fannedOutAt { return "published to \(recipients) \(at(done))" }
        if let submitted = fanout.submittedAt { return "submitted \(at(submitted)), not published yet" }
        if fanout.leaseState == "held", let holder = fanout.holder, let until = fanout.leaseUntil {
            return "held by device \(holder) until \(at(until))"
        }
        return "to \(recipients): \(fanout.leaseState ?? "open"), nobody has submitted"
    }

    private mutating func write(_ entry: EntryHistory) {
        lines += ["", style.heading("entry \(entry.entry)")]
        add("device", "\(entry.device) (\(entry.platform), \(entry.isDeviceActive ? "active" : "revoked"))")
        add("job there", deviceWords(entry))
        add("state", stateWords(entry))
        let counters = entry.counters
        add(
            "counters",
            "seq \(counters.seq), life \(counters.life), failures \(counters.failures), silences \(counters.silences), "
                + "crashes \(counters.crashes), disputes \(counters.disputes)")
        if let due = entry.due {
            add("route", due.route)
            add("last", due.lastError.map { $0.printable } ?? "no outcome yet")
            if let first = due.firstFailedAt { add("failing", "since \(at(first))") }
        } else if let providerID = entry.providerID {
            add("provider", "id \(providerID.printable)")
        }
        for (index, token) in entry.tokens.enumerated() { add(index == 0 ? "token" : "", words(token)) }
        for (index, letter) in entry.letters.enumerated() { add(index == 0 ? "letter" : "", words(letter)) }
        add("next", Forecast(history: history, entry: entry, broker: broker).sentence)
    }

    private func deviceWords(_ entry: EntryHistory) -> String {
        var words = entry.deviceState
        if let finished = entry.deviceFinishedAt { words += " \(at(finished))" }
        if let reason = entry.failureReason { words += ": \(reason.printable)" }
        if entry.deviceState == "pending", let claimed = entry.claimedAt { words += ", claimed \(at(claimed))" }
        if let late = entry.lateAckAt { words += ", acknowledged late \(at(late))" }
        return words
    }

    private func stateWords(_ entry: EntryHistory) -> String {
        guard let state = entry.state else { return "gone" }
        guard state == "pending", let due = entry.due else {
            return state + (entry.reason.map { "(\($0.printable))" } ?? "")
                + (entry.finishedAt.map { " \(at($0))" } ?? "")
        }
        let phase = due.phase(at: history.now)
        let moment: String? =
            switch phase {
            case .due: "since \(at(due.dueAt))"
            case .deferred: "until \(at(due.dueAt))"
            case .leased, .awaiting: due.leaseUntil.map { "lease until \(at($0))" }
            case .lapsed: due.leaseUntil.map { "deadline was \(at($0))" }
            }
        return "pending, \(phase.rawValue)" + (moment.map { ", \($0)" } ?? "")
    }

    private func words(_ token: TokenHistory) -> String {
        var words = "\(token.fingerprint.short) \(token.state)"
        if let reason = token.stateReason { words += " (\(reason.printable))" }
        if token.state != "active" { words += " \(at(token.stateAt))" }
        words += ", \(token.route), registered \(at(token.registeredAt))"
        if let notBefore = token.notBefore, notBefore > history.now { words += ", not before \(at(notBefore))" }
        return words
    }

    private func words(_ letter: DeadLetterHistory) -> String {
        "\(letter.number) in \(letter.queue), seq \(letter.seq), \(letter.state): \(letter.reason.printable), "
            + at(letter.recordedAt) + (letter.repeats > 0 ? ", seen again \(letter.repeats) times" : "")
    }

    private mutating func writeAudit() {
        guard !history.audit.isEmpty else { return }
        lines += ["", style.heading("changes by hand since its commit that may have been about it")]
        for line in history.audit {
            let rows = line.rows.map { ", \(NumberText.counted($0, "row"))" } ?? ""
            let text =
                "  \(line.at.utcText) \(line.actor.printable): \(line.action) \(line.subject.printable) "
                + "(\(line.result ?? "no result")\(rows))"
            lines += text.wrapped(to: style.width, indent: 4)
        }
    }

    private func at(_ instant: Timestamp) -> String {
        "\(instant.utcText) (\(AgeText.distance(instant, from: history.now)))"
    }

    private mutating func add(_ name: String, _ value: String) {
        let label = "  " + name + String(repeating: " ", count: 11 - name.count)
        let wrapped = value.wrapped(to: style.width - label.count)
        for (index, line) in wrapped.enumerated() {
            lines.append((index == 0 ? label : String(repeating: " ", count: label.count)) + line)
        }
    }
}

extension JobHistory {
    var stateWords: String {
        if let completedAt { return "completed \(completedAt.utcText) (\(AgeText.distance(completedAt, from: now)))" }
        if let expiredAt { return "expired \(expiredAt.utcText) (\(AgeText.distance(expiredAt, from: now)))" }
        if let cancelledAt { return "cancelled \(cancelledAt.utcText) (\(AgeText.distance(cancelledAt, from: now)))" }
        let pending = entries.filter { $0.deviceState == "pending" }.count
        return "open, \(pending) of \(NumberText.counted(entries.count, "device")) shown here pending"
    }
}
