import Daemon
import Delivery
import Operations

extension Command {
    static let routeList = Command(
        "route list", summary: "List the routes: paused by hand, paused by their senders, rows that wait.",
        options: [.flag("json", "one JSON object")]
    ) { arguments in
        try await OperatorSetup.with { setup in
            let status = try await StatusReading(setup.database, countEvery: setup.countEvery).read()
            if arguments.has("json") {
                _ = Terminal.writeLine(status.routeListJSON())
            } else {
                Terminal.write(status.routeList(style: Terminal.style))
            }
        }
    }

    static let routePause = Command(
        "route pause", summary: "Hold a route's hints back in PostgreSQL, by hand, until `route resume`.",
        options: [
            .value("reason", "TEXT", "why, for whoever comes after you", isRequired: true),
            .flag("json", "one JSON object"),
        ], arguments: ["ROUTE or all"]
    ) { arguments in
        let reason = try arguments.required("reason")
        try await OperatorSetup.with { setup in try await switchRoutes(paused: true, reason, arguments, setup) }
    }

    static let routeResume = Command(
        "route resume", summary: "Let a route's hints go again that were held back by hand.",
        options: [.value("reason", "TEXT", "why, for the audit"), .flag("json", "one JSON object")],
        arguments: ["ROUTE or all"]
    ) { arguments in
        try await OperatorSetup.with { setup in
            try await switchRoutes(paused: false, arguments.value(of: "reason"), arguments, setup)
        }
    }

    private static func switchRoutes(
        paused: Bool, _ reason: String?, _ arguments: ParsedArguments, _ setup: OperatorSetup
    ) async throws {
        let changes = try await RouteSwitch(setup.database, actor: setup.actor)
            .set(arguments.positional[0], paused: paused, reason: reason)
        guard !arguments.has("json") else {
            _ = Terminal.writeLine(changes.json())
            return
        }
        for change in changes {
            let state = paused ? "paused by hand" : "open"
            Terminal.write("\(change.route): \(change.changed ? "now \(state)" : "was \(state) before")\n")
        }
        if paused {
            Terminal.write("What is in its queue already may still be sent until its deadline (2 minutes);\n")
            Terminal.write("to stop at once, stop the senders too.\n")
        }
    }
}
