import AMQP
import Messages
import Operations

/// What a dead-letter queue holds beside what the index says of it. They differ while copies of closed letters lie there,
/// and for ever after a broker lost its data: hints can be replayed all the same, other messages are gone.
struct QueueDrift: Equatable, Sendable {
    let queue: DeadQueue
    /// Open letters, uninstalls included.
    let open: Int
    /// Nil: the broker was not asked, or did not answer.
    let messages: Int?

    static func all(_ summary: DeadLetterIndex.Summary, _ broker: BrokerAnswer) -> [QueueDrift] {
        DeadQueue.allCases.map { queue in
            let count = summary.queues.first { $0.queue == queue.rawValue }
            var messages: Int?
            if case .counts(let counts) = broker[queue.rawValue] { messages = counts.ready }
            return QueueDrift(queue: queue, open: (count?.open ?? 0) + (count?.uninstalled ?? 0), messages: messages)
        }
    }

    /// A table of the queues that have something, and a line for each that differs.
    static func lines(_ summary: DeadLetterIndex.Summary, _ broker: BrokerAnswer, _ style: Style) -> [String] {
        if broker == .notAsked { return [style.faint("queues: not asked: AMQP_URL is not set"), ""] }
        if let fault = broker.fault { return [style.alarm("queues: \(fault.printable)"), ""] }
        let drifts = all(summary, broker).filter { $0.open > 0 || $0.messages != 0 }
        guard !drifts.isEmpty else { return [] }
        var table = TextTable(["queue", "messages", "open letters"])
        for drift in drifts {
            table.add([
                drift.queue.rawValue, drift.messages.map(NumberText.format) ?? "missing",
                drift.queue == .parking ? "-" : NumberText.format(drift.open),
            ])
        }
        var lines = table.lines()
        return lines.removeFirst().map(style.heading) + lines.joined()
            + drifts.compactMap(\.words).flatMap { $0.wrapped(to: style.width, indent: 4) } + [""]
    }

    private var words: String? {
        guard let messages, queue != .parking, messages != open else { return nil }
        if messages > open {
            return
                "\(queue.rawValue): \(NumberText.counted(messages - open, "message")) more than open letters: copies of "
                + "closed ones (`dead sweep` takes them away), or not indexed yet"
        }
        return "\(queue.rawValue): \(NumberText.counted(open - messages, "message")) fewer than open letters: with the "
            + "broker's data, or in another operator's hands; hints can be replayed all the same"
    }

    func write(to object: inout JSONWriter) {
        object.member("queue", queue.rawValue)
        object.member("open", open)
        object.member("messages", messages)
    }
}
