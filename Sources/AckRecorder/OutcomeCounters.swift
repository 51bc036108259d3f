import Daemon
import Delivery
import Messages
import Postgres

/// Outcomes by kind, and what became of them.
struct OutcomeCounters: Sendable {
    private let kinds: [OutcomeKind: Counter]
    private let applied: Counter
    private let failed: Counter
    private let cleared: Counter
    private let setAside: Counter
    private let lifted: Counter

    init(_ metrics: Metrics) {
        kinds = Dictionary(
            uniqueKeysWithValues: OutcomeKind.allCases.map { kind in
                (
                    kind,
                    metrics.counter(
                        "mobile_delivery_recorder_outcomes_total", help: "Outcomes received.",
                        labels: ["kind": kind.rawValue])
                )
            })
        func counter(_ name: String, _ help: String) -> Counter {
            metrics.counter("mobile_delivery_recorder_\(name)_total", help: help)
        }
        applied = counter("outcomes_applied", "Outcomes that found their entry waiting; the others changed nothing.")
        failed = counter("entries_failed", "Entries that an outcome ended as failed.")
        cleared = counter("tokens_cleared", "Tokens that a provider called dead.")
        setAside = counter("tokens_set_aside", "Tokens that were set aside until they are judged.")
        lifted = counter("tokens_lifted", "Set-aside tokens that an acceptance took back into use.")
    }

    func count(_ batch: OutcomeBatch) {
        for outcome in batch.outcomes { kinds[outcome.kind]?.add() }
    }

    func add(accepted row: Row) throws(PostgresError) {
        applied.add(try row.get("applied", as: Int.self))
        lifted.add(try row.get("lifted", as: Int.self))
    }

    func add(refused row: Row) throws(PostgresError) {
        applied.add(try row.get("applied", as: Int.self))
        failed.add(try row.get("failed", as: Int.self))
        cleared.add(try row.get("cleared", as: Int.self))
        setAside.add(try row.get("set_aside", as: Int.self))
    }
}
