import Daemon
import DeadLetters
import Operations
import Postgres

extension Command {
    static let deadShow = Command(
        "dead show", summary: "Say in words what happened to one message, and what a replay would do.",
        options: [.flag("json", "one JSON object")], arguments: ["ID"]
    ) { arguments in
        let id = try letterNumber(arguments.positional[0])
        try await OperatorSetup.with { setup in
            guard let letter = try await DeadLetterIndex(setup.database).letter(id) else {
                throw CommandFailure(
                    .dataError, "there is no dead letter \(id): `mobile-delivery dead list` names them")
            }
            if arguments.has("json") {
                _ = Terminal.writeLine(letter.json())
            } else {
                let now: Timestamp = try await setup.database.query("SELECT clock_timestamp() AS now").one()["now"]
                let since = try await LetterCircumstances.read(of: letter, from: setup.database)
                Terminal.write(DeadLetterExplanation(letter, since, now: now).text(style: Terminal.style))
            }
        }
    }

    static let deadReplay = Command(
        "dead replay",
        summary:
            "Send dead hints again, to their devices' tokens of today, and other messages to the queue that failed.",
        options: DeadLetterFilter.options + [
            .value("rate", "N", "at most so many letters a second"),
            .value("why", "TEXT", "for the audit"),
        ] + changeOptions
    ) { arguments in
        try await change(.replay, arguments)
    }

    static let deadDiscard = Command(
        "dead discard", summary: "Close dead letters for good, with a reason.",
        options: DeadLetterFilter.options + [
            .value("why", "TEXT", "for the audit, and whoever asks later", isRequired: true)
        ] + changeOptions
    ) { arguments in
        _ = try arguments.required("why")
        try await change(.discard, arguments)
    }

    static let deadHistory = Command(
        "dead history", summary: "List who replayed or discarded what.",
        options: [.value("limit", "N", "at most so many (20)"), .flag("json", "one JSON object")]
    ) { arguments in
        let count = try arguments.integer("limit", default: 20, in: 1...1000)
        try await OperatorSetup.with { setup in
            let history = try await DeadLetterHistory.read(from: setup.database, atMost: count)
            if arguments.has("json") {
                _ = Terminal.writeLine(history.json())
            } else {
                Terminal.write(history.text())
            }
        }
    }

    static let deadSweep = Command(
        "dead sweep", summary: "Take the copies of closed letters out of the dead-letter queues.",
        options: [
            .value("queue", "QUEUE", "out of this one; all unless given"), .flag("json", "one JSON object"),
        ]
    ) { arguments in
        let name = arguments.value(of: "queue")
        let queue = name.flatMap(DeadQueue.init(rawValue:))
        if let name, queue.map(DeadQueue.indexed.contains) != true {
            let names = DeadQueue.indexed.map(\.rawValue).joined(separator: ", ")
            throw CommandFailure(.usage, "option --queue must be one of \(names), not '\(name)'")
        }
        try await OperatorSetup.with { setup in
            let result = try await Shutdown.requestedBySignals { shutdown in
                try await run(setup).sweep(queue, until: shutdown)
            }
            if arguments.has("json") {
                _ = Terminal.writeLine(result.json(.discard))
            } else {
                Terminal.write(result.sweepText())
            }
        }
    }

    private static func run(_ setup: OperatorSetup) -> DeadLetterRun {
        DeadLetterRun(
            ChangeSite(setup.database, actor: setup.actor, batch: setup.batch), broker: setup.brokerServer)
    }

    private static let changeOptions: [CommandOption] = [
        .flag("dry-run", "only say what would be done"),
        .flag("yes", "do not ask"),
        .flag("json", "one JSON object"),
    ]

    static func letterNumber(_ text: String) throws(CommandFailure) -> Int64 {
        guard let id = Int64(text), id > 0 else {
            throw CommandFailure(.usage, "a dead letter has a number such as 17, not '\(text)'")
        }
        return id
    }

    private static func change(_ action: DeadLetterRun.Action, _ arguments: ParsedArguments) async throws {
        let filter = try DeadLetterFilter(arguments)
        guard !filter.words.isEmpty else {
            throw CommandFailure(.usage, "name one with --id, or add a filter such as --reason")
        }
        let rate = arguments.has("rate") ? try arguments.integer("rate", default: 1, in: 1...100_000) : nil
        try await OperatorSetup.with { setup in
            let run = run(setup)
            if filter.queue == DeadQueue.parking.rawValue {
                return try await changeParked(action, filter, rate, arguments, setup)
            }
            var result = try await run.preview(filter)
            let total = result.replayed + result.messages + result.skipped
            if filter.id != nil, total == 0 {
                throw CommandFailure(.dataError, "that dead letter is not open: `mobile-delivery dead show` says why")
            }
            let isJSON = arguments.has("json")
            if !isJSON, action == .replay { Terminal.write(result.previewText()) }
            if !arguments.has("dry-run") {
                // What is discarded does not come back.
                let above = action == .discard ? 0 : setup.confirmAbove
                if total > above, !arguments.has("yes") {
                    try Terminal.confirm("this is about \(total) letters")
                }
                let progress = RunProgress(total: total)
                result = try await Shutdown.requestedBySignals { shutdown in
                    try await run.run(
                        action, filter, reason: arguments.value(of: "why"), rate: rate, until: shutdown
                    ) { Terminal.progress(progress.text($0)) }
                }
                Terminal.progress("")
                if !isJSON { Terminal.write(result.text(action)) }
            } else if !isJSON {
                Terminal.write("nothing was changed: leave out --dry-run to do it\n")
            }
            if isJSON { _ = Terminal.writeLine(result.json(action)) }
            if result.isInterrupted {
                throw CommandFailure(.temporary, "interrupted: run it again for the rest")
            }
        }
    }
    /// `parking` has no letters: what lies in it is counted, and all that died for the reason is meant.
    private static func changeParked(
        _ action: DeadLetterRun.Action, _ filter: DeadLetterFilter, _ rate: Int?, _ arguments: ParsedArguments,
        _ setup: OperatorSetup
    ) async throws {
        guard let broker = setup.brokerServer else {
            throw CommandFailure(.usage, "set AMQP_URL to that of user operator: parking is in no index")
        }
        let found = try await ParkedMessage.read(from: broker, atMost: 2000)
        let meant = found.count { message in filter.reason.map { message.reason.hasPrefix($0) } ?? true }
        let isJSON = arguments.has("json")
        if !isJSON { Terminal.write("\(meant) of the oldest \(found.count) messages of parking are meant\n") }
        var result = DeadLetterRun.Result()
        result.verdicts = [ReplayVerdict.message: meant]
        result.messages = meant
        if !arguments.has("dry-run") {
            if meant > (action == .discard ? 0 : setup.confirmAbove), !arguments.has("yes") {
                try Terminal.confirm("this is about \(meant) messages of parking")
            }
            result = try await Shutdown.requestedBySignals { shutdown in
                try await run(setup).parked(
                    action, reason: filter.reason, why: arguments.value(of: "why"), rate: rate, until: shutdown)
            }
            if !isJSON { Terminal.write(result.text(action)) }
        }
        if isJSON { _ = Terminal.writeLine(result.json(action)) }
        if result.isInterrupted { throw CommandFailure(.temporary, "interrupted: run it again for the rest") }
    }
}
