import Daemon
import DeadLetters
import Operations
import Postgres

extension Command {
    static let deadList = Command(
        "dead list", summary: "List open dead letters, newest first, with counts by reason and hour.",
        options: DeadLetterFilter.options + [
            .value("limit", "N", "at most so many letters (20)"),
            .value("before", "ID", "letters older than this one"),
            .flag("json", "one JSON object"),
        ]
    ) { arguments in
        let filter = try DeadLetterFilter(arguments)
        let count = try arguments.integer("limit", default: 20, in: 1...1000)
        let before = arguments.has("before") ? try letterNumber(arguments.required("before")) : .max
        try await OperatorSetup.with { setup in
            let index = DeadLetterIndex(setup.database)
            let list = DeadLetterList(
                try await index.summary(), filter, try await index.page(filter, before: before, atMost: count))
            if arguments.has("json") {
                _ = Terminal.writeLine(list.json())
            } else {
                Terminal.write(list.text(style: Terminal.style))
            }
        }
    }

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
                Terminal.write(DeadLetterExplanation(letter, now: now).text(style: Terminal.style))
            }
        }
    }

    static let deadReplay = Command(
        "dead replay", summary: "Send dead hints again, to their devices' tokens of today, through the outbox.",
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

    private static let changeOptions: [CommandOption] = [
        .flag("dry-run", "only say what would be done"),
        .flag("yes", "do not ask"),
        .flag("json", "one JSON object"),
    ]

    private static func letterNumber(_ text: String) throws(CommandFailure) -> Int64 {
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
            let run = DeadLetterRun(ChangeSite(setup.database, actor: setup.actor, batch: setup.batch))
            var result = try await run.preview(filter)
            let total = result.replayed + result.skipped
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
                result = try await Shutdown.requestedBySignals { shutdown in
                    try await run.run(
                        action, filter, reason: arguments.value(of: "why"), rate: rate, until: shutdown
                    ) { Terminal.progress("\($0) of \(total)") }
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
}
