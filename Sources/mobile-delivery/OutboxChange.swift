import Daemon
import Delivery
import Operations
import Postgres

/// A change of due rows as a command: look, ask, do, say.
struct OutboxChange {
    private let kind: ChangeKind
    private let filter: DueFilter
    private let arguments: ParsedArguments
    private let site: ChangeSite
    private let setup: OperatorSetup

    init(_ kind: ChangeKind, _ filter: DueFilter, _ arguments: ParsedArguments, _ setup: OperatorSetup) {
        self.kind = kind
        self.filter = filter
        self.arguments = arguments
        self.setup = setup
        site = ChangeSite(setup.database, actor: setup.actor, batch: setup.batch)
    }

    func run() async throws {
        try await site.check(filter)
        let preview = try await site.preview(kind, filter)
        let isJSON = arguments.has("json")
        if !isJSON { Terminal.write(preview.text(filter, style: Terminal.style)) }
        var result: ChangeResult?
        if !arguments.has("dry-run") {
            try confirm(preview)
            result = try await Shutdown.requestedBySignals { shutdown in
                try await ChangeRun(site).run(kind, filter, until: shutdown) { changed in
                    Terminal.progress("\(changed) of \(preview.rows)")
                }
            }
            Terminal.progress("")
        }
        let report = ChangeReport(kind: kind, filter: filter, preview: preview, result: result)
        if isJSON {
            _ = Terminal.writeLine(report.json())
        } else {
            Terminal.write(report.text())
        }
        if let result, result.isInterrupted {
            throw CommandFailure(.temporary, "interrupted after \(result.changed) hints: run it again for the rest")
        }
    }

    /// What cannot be undone is always asked about.
    private func confirm(_ preview: ChangePreview) throws(CommandFailure) {
        let isFinal = kind == .expire || filter.includesAwaiting
        guard preview.rows > (isFinal ? 0 : setup.confirmAbove), !arguments.has("yes") else { return }
        let warning =
            filter.includesAwaiting
            ? ", some of which the broker or a sender may have (phones may ring twice)"
            : kind == .expire ? ", which cannot be undone" : ""
        try Terminal.confirm("this changes \(preview.rows) hints\(warning)")
    }

    // MARK: What must not be before `expire`

    func refuseFuture() async throws {
        let now: Timestamp = try await setup.database.query("SELECT clock_timestamp() AS now").one()["now"]
        guard let before = filter.committedBefore, before > now else { return }
        throw CommandFailure(
            .usage,
            "--committed-before \(before.utcText) lies in the future (it is \(now.utcText) there): name the restored moment"
        )
    }

    /// A relay that runs would publish meanwhile what is about to be ended.
    func refuseRelays() async throws {
        let count = try await site.relayConnections()
        guard count > 0 else { return }
        throw CommandFailure(
            .failure,
            "\(count) connections of relays are open: stop the relays first, or add --with-relays-connected if they are a pooler's"
        )
    }
}

/// `outbox resend`: the same steps for events and fan-outs.
struct OutboxResend {
    let since: Timestamp
    let arguments: ParsedArguments
    let setup: OperatorSetup

    func run() async throws {
        let site = ChangeSite(setup.database, actor: setup.actor, batch: setup.batch)
        let resend = Resend(site, since: since)
        let preview = try await resend.preview()
        let isJSON = arguments.has("json")
        if !isJSON { Terminal.write("would send again: \(preview.words)\n") }
        var result: ChangeResult?
        if !arguments.has("dry-run") {
            if preview.total > setup.confirmAbove, !arguments.has("yes") {
                try Terminal.confirm("this sends \(preview.total) messages again")
            }
            result = try await Shutdown.requestedBySignals { shutdown in
                try await resend.run(until: shutdown) { Terminal.progress("\($0) of \(preview.total)") }
            }
            Terminal.progress("")
        }
        if isJSON {
            _ = Terminal.writeLine(ChangeResult.json(resend: preview, result))
        } else if let result {
            Terminal.write("\(result.changed) are due again; line \(result.audit) of the audit\n")
        } else {
            Terminal.write("nothing was changed: leave out --dry-run to do it\n")
        }
        if let result, result.isInterrupted {
            throw CommandFailure(.temporary, "interrupted after \(result.changed) messages: run it again for the rest")
        }
    }
}
