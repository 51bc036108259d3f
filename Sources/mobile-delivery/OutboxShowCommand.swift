import Daemon
import Delivery
import Operations

extension Command {
    static let outboxShow = Command(
        "outbox show", summary: "Tell the history of a job's entries, or of one entry, and what happens next and when.",
        options: [.flag("json", "one JSON object")], arguments: ["JOB or ENTRY"]
    ) { arguments in
        let text = arguments.positional[0]
        guard let subject = Identifier(text) else {
            throw CommandFailure(.usage, "'\(text)' is no id: name a job or an entry by its UUID")
        }
        try await OperatorSetup.with { setup in
            guard let history = try await HistoryReading(setup.database).read(subject) else {
                throw CommandFailure(
                    .dataError,
                    "no job and no entry has the id \(subject); history is kept until a week after the job's expiry")
            }
            let queues = Set(history.entries.compactMap(\.due?.queue)).sorted()
            let broker = await setup.ask(queues + OutboxStatus.serviceQueues)
            if arguments.has("json") {
                _ = Terminal.writeLine(history.json(broker: broker))
            } else {
                Terminal.write(HistoryText.text(history, broker: broker, style: Terminal.style))
            }
        }
    }
}
