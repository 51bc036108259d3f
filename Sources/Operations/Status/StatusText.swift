import AMQP
import Delivery
import Postgres

/// `status` for people: 80 columns, the worst first to be seen.
public struct StatusText {
    private let status: OutboxStatus
    private let style: Style
    private var lines: [String] = []

    public static func text(_ status: OutboxStatus, style: Style) -> String {
        var text = StatusText(status: status, style: style)
        text.write()
        return text.lines.joined(separator: "\n") + "\n"
    }

    private init(status: OutboxStatus, style: Style) {
        self.status = status
        self.style = style
    }

    private mutating func write() {
        let age = AgeText.format(status.countAge)
        lines.append(style.heading("outbox at \(status.now.utcText)") + ", counted \(age) ago")
        writeRoutes()
        writeDeferrals()
        writeQueues()
        lines.append("")
        writeDeadLetters()
        writeLeases()
        writeSessions()
        writeHealth()
    }

    // MARK: Routes

    private mutating func writeRoutes() {
        var table = TextTable(["route", "due", "leased", "awaiting", "lapsed", "deferred", "oldest", "acc/s"])
        for line in status.lines {
            let counts = [line.due, line.leased, line.awaiting, line.lapsed, line.deferred].map(NumberText.format)
            let oldest = line.oldestAge.map(AgeText.format) ?? "-"
            table.add([line.name] + counts + [oldest, line.route == nil ? "-" : NumberText.rate(line.acceptedRate)])
        }
        var printed = table.lines()
        lines.append("")
        lines += printed.removeFirst().map(style.heading)
        for (line, text) in zip(status.lines, printed) {
            lines += line.oldestAge.map { $0 >= StatusText.late } == true ? text.map(style.alarm) : text
            for pause in Self.pauses(of: line, at: status.now) { add(pause, style.warning) }
        }
    }

    /// From this age on the oldest row is late.
    static let late = Duration.seconds(60)

    /// Who holds a route back, one line each.
    static func pauses(of line: RouteLine, at now: Timestamp) -> [String] {
        func since(_ instant: Timestamp?) -> String { instant.map { " \(AgeText.distance($0, from: now))" } ?? "" }
        var lines: [String] = []
        if line.hand.isPaused {
            let reason = line.hand.reason.flatMap { $0.isEmpty ? nil : ": \($0.printable)" } ?? ""
            lines.append(
                "  paused by hand\(since(line.hand.since)) by \(line.hand.by?.printable ?? "somebody")\(reason)")
        }
        if line.seen.isPaused {
            let probe = line.seen.lastProbe.map { ", last probe \(AgeText.distance($0, from: now))" } ?? ""
            lines.append(
                "  paused by its sender\(since(line.seen.since)): \(line.seen.reason?.printable ?? "no reason given") "
                    + "(\(line.seen.instance?.printable ?? "instance unknown")\(probe))")
        }
        return lines
    }

    // MARK: Deferrals and queues

    private mutating func writeDeferrals() {
        var table = TextTable(["deferred because", "rows", "next due"])
        for line in status.lines {
            for deferral in line.deferrals {
                table.add([
                    "\(line.name): \(OutboxStatus.words(deferral.reason))", NumberText.format(deferral.rows),
                    AgeText.distance(deferral.nextDueAt, from: status.now),
                ])
            }
        }
        guard !table.rows.isEmpty else { return }
        write(table)
    }

    private mutating func writeQueues() {
        if let fault = status.broker.fault {
            lines.append("")
            add("broker: \(fault.printable)", status.broker == .notAsked ? style.faint : style.alarm)
        }
        let names = status.lines.compactMap(\.route?.queue) + OutboxStatus.serviceQueues
        let known = names.filter { status.broker[$0] != .unknown }
        guard !known.isEmpty else { return }
        var table = TextTable(["queue", "ready", "consumers"])
        for name in known {
            let counts = status.broker[name].counts
            table.add([
                name, counts.map { NumberText.format($0.ready) } ?? "missing",
                counts.map { NumberText.format($0.consumers) } ?? "-",
            ])
        }
        var printed = table.lines()
        lines.append("")
        lines += printed.removeFirst().map(style.heading)
        for (name, text) in zip(known, printed) {
            let isServed = (status.broker[name].counts?.consumers ?? 0) > 0
            lines += isServed ? text : text.map(style.alarm)
        }
    }

    // MARK: What else

    private mutating func writeDeadLetters() {
        let open = status.deadLetters.filter { $0.open > 0 }
        let total = NumberText.grouped(open.map(\.open).reduce(0, +))
        let list = open.map { "\($0.queue) \(NumberText.grouped($0.open))" }.joined(separator: ", ")
        let uninstalled = status.deadLetters.map(\.uninstalled).reduce(0, +)
        let aside = uninstalled > 0 ? "; besides \(NumberText.counted(uninstalled, "uninstalled app"))" : ""
        add(
            "dead letters: \(total) open\(list.isEmpty ? "" : " (\(list))")\(aside)",
            open.isEmpty ? { $0 } : style.warning)
    }

    private mutating func writeLeases() {
        guard !status.leases.isEmpty else { return }
        let list = status.leases.map { lease in
            "\(lease.owner?.description ?? "others") \(NumberText.grouped(lease.leased)) leased "
                + "\(NumberText.grouped(lease.awaiting)) awaiting"
        }
        for (index, text) in list.enumerated() { add((index == 0 ? "leases: " : "        ") + text, { $0 }) }
    }

    private mutating func writeSessions() {
        let list = status.sessions.map { "\($0.service) \($0.count)" }.joined(separator: ", ")
        let isComplete = status.sessions.allSatisfy { $0.count > 0 }
        add("database connections: \(list)", isComplete ? { $0 } : style.warning)
    }

    private mutating func writeHealth() {
        let health = status.health
        let vacuumed = health.vacuumedAgo.map { "vacuumed \(AgeText.format($0)) ago" } ?? "never vacuumed"
        add("due: \(NumberText.counted(health.deadRows, "dead row")), \(vacuumed)", { $0 })
        if let age = health.snapshotAge {
            let isOld = age >= .seconds(300)
            add(
                "oldest transaction: \(AgeText.format(age)) (\(health.snapshotOwner.printable))",
                isOld ? style.alarm : { $0 })
        }
        let until = health.partitionsUntil.map { "until \($0.utcText.prefix(10))" } ?? "none"
        let isShort = health.partitionsUntil.map { $0 - status.now < .seconds(2 * 86_400) } ?? true
        add("history: \(NumberText.counted(health.partitions, "day")), made \(until)", isShort ? style.alarm : { $0 })
        if health.hasStrayRows {
            add("rows wait in a default partition: nobody made partitions for days; start a relay", style.alarm)
        }
    }

    private mutating func write(_ table: TextTable) {
        var printed = table.lines()
        lines.append("")
        lines += printed.removeFirst().map(style.heading)
        lines += printed.joined()
    }

    private mutating func add(_ text: String, _ paint: (String) -> String) {
        lines += text.wrapped(to: style.width, indent: 4).map(paint)
    }
}

extension OutboxStatus {
    /// What `last_error` begins with, for people.
    static func words(_ reason: String) -> String {
        reason.isEmpty ? "its token is set aside or cools down" : reason.printable
    }
}
