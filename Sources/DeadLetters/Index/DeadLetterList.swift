import Delivery
import Messages
public import Operations
import Postgres

/// `dead list` as a person reads it, and as a program does.
public struct DeadLetterList: Sendable {
    public let summary: DeadLetterIndex.Summary
    public let filter: DeadLetterFilter
    public let letters: [DeadLetter]
    /// What the queues hold.
    public var broker = BrokerAnswer.notAsked
    /// Read in place, if the list is about `parking`.
    public var parked: [ParkedMessage]?

    public init(_ summary: DeadLetterIndex.Summary, _ filter: DeadLetterFilter, _ letters: [DeadLetter]) {
        self.summary = summary
        self.filter = filter
        self.letters = letters
    }

    public func text(style: Style) -> String {
        let age = AgeText.format(summary.age)
        var lines = [style.heading("dead letters at \(summary.now.utcText), counted \(age) ago"), ""]
        lines += table("because", summary.reasons, style)
        lines += table("recorded in the hour from", Array(summary.hours.prefix(6)), style)
        if summary.uninstalled > 0 {
            lines += ["left out: \(NumberText.counted(summary.uninstalled, "ordinary uninstall")) (--uninstalled)", ""]
        }
        lines += QueueDrift.lines(summary, broker, style)
        if let parked {
            lines.append(style.heading("the oldest \(parked.count) in parking"))
            for message in parked { lines += message.line.wrapped(to: style.width, indent: 4) }
            return lines.joined(separator: "\n") + "\n"
        }
        let which = filter.words.isEmpty ? "" : " (\(filter.words))"
        guard !letters.isEmpty else { return (lines + ["none is open\(which)"]).joined(separator: "\n") + "\n" }
        lines.append(style.heading("the newest \(letters.count)\(which)"))
        for letter in letters {
            let place = letter.routingKey ?? letter.queue
            let what = letter.status.map { "\(letter.reason) \($0)" } ?? letter.reason
            lines += "\(letter.id)  \(AgeText.distance(letter.recordedAt, from: summary.now))  \(place)  \(what)"
                .printable
                .wrapped(to: style.width, indent: 4)
            lines += "    replay: \(letter.verdict.words)".wrapped(to: style.width, indent: 4).map(style.faint)
        }
        return lines.joined(separator: "\n") + "\n"
    }

    private func table(_ heading: String, _ counts: [DeadLetterIndex.Count], _ style: Style) -> [String] {
        guard !counts.isEmpty else { return [] }
        var table = TextTable([heading, "letters"])
        for count in counts { table.add([count.name.printable, NumberText.format(count.letters)]) }
        var lines = table.lines()
        return lines.removeFirst().map(style.heading) + lines.joined() + [""]
    }

    public func json() -> [UInt8] {
        JSONWriter.object { object in
            object.member("at", summary.now.isoText)
            object.member("count_age_seconds", Int(summary.age.components.seconds))
            object.key("reasons")
            Self.write(summary.reasons, to: &object)
            object.key("hours")
            Self.write(summary.hours, to: &object)
            object.member("uninstalled", summary.uninstalled)
            object.key("queues")
            object.array { array in
                for drift in QueueDrift.all(summary, broker) { array.object { drift.write(to: &$0) } }
            }
            if let parked {
                object.key("parking")
                object.array { array in
                    for message in parked { array.object { message.write(to: &$0) } }
                }
            }
            object.key("letters")
            object.array { array in
                for letter in letters { array.object { letter.write(to: &$0) } }
            }
        }
    }

    private static func write(_ counts: [DeadLetterIndex.Count], to writer: inout JSONWriter) {
        writer.array { array in
            for count in counts {
                array.object {
                    $0.member("name", count.name)
                    $0.member("letters", count.letters)
                }
            }
        }
    }
}

extension DeadLetter {
    func write(to object: inout JSONWriter) {
        object.member("id", id)
        object.member("queue", queue)
        object.member("message_id", messageID)
        object.member("seq", seq)
        object.member("type", type)
        object.member("reason", reason)
        object.member("status", status)
        object.member("provider_id", providerID)
        object.member("failures", failures)
        object.member("first_failed_at", firstFailedAt?.isoText)
        object.member("last_failed_at", lastFailedAt?.isoText)
        object.member("exchange", exchange)
        object.member("routing_key", routingKey)
        object.member("traceparent", traceparent)
        object.member("job", job?.description)
        object.member("device", device?.description)
        object.member("entry", entry?.description)
        object.member("state", state)
        object.member("state_at", stateAt.isoText)
        object.member("repeats", repeats)
        object.member("recorded_at", recordedAt.isoText)
        object.member("replay", verdict.rawValue)
    }

    public func json() -> [UInt8] { JSONWriter.object { write(to: &$0) } }
}
