import Daemon
import Delivery
import Operations
import Postgres

extension Command {
    /// The first command of the night: what is due, what waits and why.
    static let status = Command(
        "status",
        summary: "Show the outbox by route: due, leased, awaiting, deferred and why, pauses, queues, dead letters.",
        options: [
            .flag("watch", "again and again, until Ctrl-C"),
            .value("every", "TIME", "pause between two looks of --watch; 2s unless given"),
            .flag("json", "one JSON object a look"),
        ]
    ) { arguments in
        let pause = try duration("every", arguments, default: .seconds(2))
        try await OperatorSetup.with { setup in
            let watch = StatusWatch(setup: setup, isJSON: arguments.has("json"), isWatching: arguments.has("watch"))
            try await watch.run(every: pause)
        }
    }

    static func duration(
        _ name: String, _ arguments: ParsedArguments, default fallback: Duration
    ) throws(CommandFailure) -> Duration {
        guard let text = arguments.value(of: name) else { return fallback }
        guard let duration = DurationText.parse(text), duration >= .milliseconds(100) else {
            throw CommandFailure(.usage, "option --\(name) must be a time from 100ms on such as 2s, not '\(text)'")
        }
        return duration
    }
}

/// One look, or looks until nobody reads them.
private struct StatusWatch {
    let setup: OperatorSetup
    let isJSON: Bool
    let isWatching: Bool

    func run(every pause: Duration) async throws {
        let reading = StatusReading(setup.database, countEvery: setup.countEvery)
        repeat {
            do throws(PostgresError) {
                var status = try await reading.read()
                status.broker = await setup.ask(status.lines.compactMap(\.route?.queue) + OutboxStatus.serviceQueues)
                guard show(status) else { return }
            } catch {
                // A watch lives through the outage that it watches; a fault of the settings ends it.
                guard isWatching, !error.isConfigurationFault else { throw error }
                guard show(error) else { return }
            }
        } while isWatching ? await Shutdown.current.sleep(for: pause) : false
    }

    private func show(_ status: OutboxStatus) -> Bool {
        if isJSON { return Terminal.writeLine(status.json()) }
        let text = StatusText.text(status, style: Terminal.style)
        guard isWatching else { return Terminal.write(text) }
        // On a terminal each look replaces the one before.
        return Terminal.write(Terminal.isOutput ? "\u{1B}[H\u{1B}[2J" + text : text + "\n")
    }

    private func show(_ error: PostgresError) -> Bool {
        isJSON ? Terminal.writeLine(OutboxStatus.json(fault: "\(error)")) : Terminal.write("no answer: \(error)\n")
    }
}
