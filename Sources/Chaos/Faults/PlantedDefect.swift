import Daemon
import Postgres

/// A defect of the relay's statements that a campaign has to find: whoever doubts a campaign plants one and sees it fail.
public enum PlantedDefect: String, CaseIterable, Sendable {
    /// Claims take rows whose lease runs.
    case ignoresLeases = "ignores-leases"
    /// Confirmed rows are published again without decision 2's proof.
    case ignoresProof = "ignores-proof"
    /// What a relay left without a word is published again although its outcome may not be written yet.
    case ignoresRecorders = "ignores-recorders"
    /// What became of a publish is written whoever holds the row now.
    case writesUnfenced = "writes-unfenced"
    /// A refusal by the broker is charged.
    case chargesRefusals = "charges-refusals"
    /// A publish of which nobody knows is taken for done.
    case dropsUnknown = "drops-unknown"
    /// A relay's death is counted as a silence.
    case takesCrashesForSilences = "takes-crashes-for-silences"
    /// A claimed event is taken for published.
    case dropsClaimedEvents = "drops-claimed-events"

    private var function: String {
        switch self {
        case .ignoresLeases, .ignoresProof, .ignoresRecorders: "claimable"
        // A relay that wakes after its leases no longer waits for confirms.
        case .writesUnfenced: "keep_unknown"
        case .chargesRefusals: "defer_claims"
        case .dropsUnknown: "keep_unknown"
        case .takesCrashesForSilences: "claim_hints"
        case .dropsClaimedEvents: "claim_events"
        }
    }

    /// What of the function is replaced; all blanks are single ones.
    private var replacements: [(of: String, with: String)] {
        switch self {
        case .ignoresLeases: [("d.lease_until IS NULL", "true")]
        case .ignoresProof: [("coalesce(d.published_at, d.lease_until) <= stale", "true")]
        case .ignoresRecorders: [("IS NULL THEN recorded", "IS NULL THEN 'infinity'")]
        case .writesUnfenced: [("AND d.lease_token = tokens[width_bucket(d.id, ids)] AND d.published_at IS NULL", "")]
        case .chargesRefusals: [("lease_token = NULL", "failures = d.failures + 1, lease_token = NULL")]
        case .dropsUnknown:
            [("SET published_at = clock_timestamp()", "SET published_at = clock_timestamp(), lease_until = 'infinity'")]
        case .takesCrashesForSilences:
            [
                (
                    "d.crashes + (d.lease_token IS NOT NULL AND d.published_at IS NULL)::integer AS crashes",
                    "d.crashes::integer AS crashes"
                ),
                (
                    "(d.lease_token IS NOT NULL AND d.published_at IS NOT NULL)::integer AS silences",
                    "(d.lease_token IS NOT NULL)::integer AS silences"
                ),
            ]
        case .dropsClaimedEvents: [("d.id = l.id AND l.verdict = 'buried'", "d.id = l.id")]
        }
    }

    /// How to take it away again.
    struct Removal: Sendable {
        let original: String

        func remove(from database: Database) async throws(PostgresError) { try await database.script(original) }
    }

    func plant(in database: Database) async throws -> Removal {
        let original: String = try await database.query(
            "SELECT pg_get_functiondef(oid) AS text FROM pg_proc WHERE oid = \("delivery.\(function)")::regproc"
        ).one()["text"]
        // One line without comments, so that no line break is in the way of what is looked for.
        let code = original.split(separator: "\n").flatMap { line in line.split(separator: "--", maxSplits: 1).prefix(1)
        }
        var changed = code.flatMap { $0.split(whereSeparator: \.isWhitespace) }.joined(separator: " ")
        for (text, replacement) in replacements {
            let parts = changed.split(separator: text, omittingEmptySubsequences: false)
            guard parts.count > 1 else {
                throw CommandFailure(
                    .software, "the defect \(rawValue) does not fit delivery.\(function) any more: no '\(text)' in it")
            }
            changed = parts.joined(separator: replacement)
        }
        try await database.script(changed)
        return Removal(original: original)
    }
}
