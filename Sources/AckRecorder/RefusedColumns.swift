import Delivery
import Messages
import Postgres
import Storage

/// The arguments of `delivery.record_refused`, column by column. Here the waits are decided: the database only adds them
/// to its clock.
struct RefusedColumns {
    private(set) var routes: [Int16] = []
    private var instances: [String] = []
    private var entries: [Identifier] = []
    private var seqs: [Int32] = []
    private var kinds: [String] = []
    private var devices: [Identifier] = []
    private var fingerprints: [Fingerprint] = []
    private var registered: [Int64] = []
    private var statuses: [Int32?] = []
    private var reasons: [String?] = []
    private var scopes: [String?] = []
    private(set) var floors: [Duration] = []
    private var providerTimes: [Int64?] = []
    private var probes: [Bool] = []
    /// For what is not charged.
    private(set) var waits: [Duration] = []
    /// For what is charged: one for each number of earlier failures, `Backoff.steps` an outcome.
    private(set) var backoffs: [Duration] = []

    var isEmpty: Bool { entries.isEmpty }

    mutating func append(
        _ outcome: Outcome, of batch: OutcomeBatch, on route: Int16, _ configuration: Configuration,
        jitter: () -> Double
    ) {
        routes.append(route)
        instances.append(batch.instance)
        entries.append(outcome.entry)
        seqs.append(Int32(clamping: outcome.seq))
        kinds.append(outcome.kind.rawValue)
        devices.append(outcome.device)
        fingerprints.append(outcome.fingerprint)
        registered.append(outcome.registeredAt)
        statuses.append(outcome.status.map { Int32(clamping: $0) })
        reasons.append(outcome.kind == .returnedPaused ? outcome.pause : outcome.reason)
        scopes.append(outcome.scope?.rawValue)
        providerTimes.append(outcome.providerTime)
        probes.append(outcome.probe)
        let floor = configuration.backoff.floor(
            provider: batch.route.provider, status: outcome.status, reason: outcome.reason,
            retryAfter: outcome.retryAfter)
        floors.append(floor)
        let asked = outcome.retryAfter.map { min(configuration.backoff.longestRetryAfter, .seconds(max(0, $0))) }
        waits.append(outcome.kind == .returnedUnprocessed ? asked ?? configuration.unprocessedWait : .zero)
        let part = jitter()
        for failures in 0..<Backoff.steps {
            backoffs.append(configuration.backoff.delay(failures: failures, floor: floor, jitter: part))
        }
    }

    func statement(_ configuration: Configuration) -> Statement {
        """
        SELECT * FROM delivery.record_refused(
            \(routes), \(instances), \(entries), \(seqs), \(kinds), \(devices), \(fingerprints), \(registered),
            \(statuses), \(reasons), \(scopes), \(floors), \(providerTimes), \(probes), \(waits), \(backoffs),
            \(Int32(Backoff.steps)), \(Int32(configuration.budget.failures)), \(configuration.budget.span),
            \(configuration.judgement.delay), \(Int32(configuration.budget.disputes)), \(configuration.window))
        """
    }
}
