import Daemon
import Operations

extension Command {
    static let tokenLift = Command(
        "token lift", summary: "Take a route's set-aside tokens back into use: the cause was ours and is mended.",
        options: tokenOptions
    ) { arguments in
        try await rule(.lift, arguments)
    }

    static let tokenClear = Command(
        "token clear", summary: "Take a route's set-aside tokens out of use: they are dead.",
        options: [.flag("set-aside", "those that are set aside; no others can be cleared by hand")] + tokenOptions
    ) { arguments in
        guard arguments.has("set-aside") else {
            throw CommandFailure(
                .usage, "add --set-aside: only tokens that a provider called bad can be cleared by hand")
        }
        try await rule(.clear, arguments)
    }

    private static let tokenOptions: [CommandOption] = [
        .value("route", "ROUTE", "whose tokens, as `route list` names it, or all", isRequired: true),
        .value("reason", "TEXT", "why, for the audit", isRequired: true),
        .flag("dry-run", "only say how many"),
        .flag("yes", "do not ask"),
        .flag("json", "one JSON object"),
    ]

    private static func rule(_ verdict: TokenRuling.Verdict, _ arguments: ParsedArguments) async throws {
        let route = try arguments.required("route")
        let reason = try arguments.required("reason")
        try await OperatorSetup.with { setup in
            let ruling = TokenRuling(setup.database, actor: setup.actor)
            var results = try await ruling.preview(route)
            let isDone = !arguments.has("dry-run")
            if isDone {
                try confirm(verdict, results, arguments, setup)
                results = try await ruling.rule(verdict, route, reason: reason)
            }
            if arguments.has("json") {
                _ = Terminal.writeLine(results.json(isDone: isDone))
            } else {
                Terminal.write(results.text(after: isDone ? verdict : nil))
            }
        }
    }

    /// A cleared token does not come back until its app registers again.
    private static func confirm(
        _ verdict: TokenRuling.Verdict, _ found: [TokenRuling.Result], _ arguments: ParsedArguments,
        _ setup: OperatorSetup
    ) throws(CommandFailure) {
        guard found.tokens > (verdict == .clear ? 0 : setup.confirmAbove), !arguments.has("yes") else { return }
        let warning = verdict == .clear ? ", which cannot be undone: their phones are not rung until the app runs" : ""
        try Terminal.confirm("this changes \(found.countText)\(warning)")
    }
}
