import Daemon
import Delivery
import Operations
import Postgres

extension Command {
    static let outboxRetryNow = Command(
        "outbox retry-now", summary: "Make deferred hints due now; filters narrow it.",
        options: DueFilter.options + changeOptions
    ) { arguments in
        let filter = try DueFilter(arguments)
        try await OperatorSetup.with { setup in
            try await OutboxChange(.retryNow, filter, arguments, setup).run()
        }
    }

    static let outboxRelease = Command(
        "outbox release", summary: "Take leases away, for relays that are gone; the hints are due at once.",
        options: DueFilter.options + [
            .value("owner", "ID", "leased by this relay, as `status` names it"),
            .flag("awaiting", "also hints that the broker confirmed: phones may ring twice"),
        ] + changeOptions
    ) { arguments in
        let filter = try DueFilter(arguments)
        try await OperatorSetup.with { setup in
            try await OutboxChange(.release, filter, arguments, setup).run()
        }
    }

    /// See docs/runbooks/restore-from-backup.md.
    static let outboxExpire = Command(
        "outbox expire", summary: "After a restore from a backup: end pending hints without a push.",
        options: [
            .value(
                "committed-before", "INSTANT", "whose job was committed before, such as 2026-12-01T03:00:00Z",
                isRequired: true),
            .flag("with-relays-connected", "although relays are connected to the database"),
        ] + changeOptions
    ) { arguments in
        var filter = DueFilter()
        filter.committedBefore = try instant("committed-before", arguments)
        try await OperatorSetup.with { setup in
            let change = OutboxChange(.expire, filter, arguments, setup)
            try await change.refuseFuture()
            if !arguments.has("with-relays-connected") { try await change.refuseRelays() }
            try await change.run()
        }
    }

    static let outboxResend = Command(
        "outbox resend", summary: "After the broker lost its data: events and fan-outs once more, under the same ids.",
        options: [
            .value(
                "since", "INSTANT", "announced or finished since then, such as 2026-12-01T03:00:00Z", isRequired: true)
        ] + changeOptions
    ) { arguments in
        let since = try instant("since", arguments)
        try await OperatorSetup.with { setup in
            try await OutboxResend(since: since, arguments: arguments, setup: setup).run()
        }
    }

    private static let changeOptions: [CommandOption] = [
        .flag("dry-run", "only say what would be changed"),
        .flag("yes", "do not ask"),
        .flag("json", "one JSON object"),
    ]

    private static func instant(_ name: String, _ arguments: ParsedArguments) throws(CommandFailure) -> Timestamp {
        let text = try arguments.required(name)
        guard let instant = InstantText.parse(text) else {
            throw CommandFailure(
                .usage, "option --\(name) must be an instant with its zone such as 2026-12-01T03:00:00Z, not '\(text)'")
        }
        return instant
    }
}
