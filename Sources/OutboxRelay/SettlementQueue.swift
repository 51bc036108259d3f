import Daemon
import Postgres

/// Writes settlements in batches: every 40 ms, or as soon as 500 wait. While the database is away it keeps them, also past
/// the end of their leases: nobody else can claim meanwhile, and a row that somebody else has by then is left alone, because
/// every write is fenced by the lease's token. Given up at a lease's end, an outage would count as a crash of each row.
actor SettlementQueue {
    private let store: OutboxStore
    private let configuration: Configuration
    private let metrics: RelayMetrics
    private var waiting: [Settlement.Verb: [Settlement]] = [:]
    private var count = 0
    private var alarm: CheckedContinuation<Void, Never>?
    private var endsBy: ContinuousClock.Instant?

    init(store: OutboxStore, configuration: Configuration, metrics: RelayMetrics) {
        self.store = store
        self.configuration = configuration
        self.metrics = metrics
    }

    func add(_ settlements: [Settlement]) {
        let wasEmpty = count == 0
        for settlement in settlements { waiting[settlement.verb, default: []].append(settlement) }
        count += settlements.count
        if count >= configuration.settleAt || wasEmpty { wake() }
    }

    /// Writes until `end()` was called and nothing waits, or for 5 s more, or until the task is cancelled. What is then
    /// unwritten is told by the leases' ends.
    func run() async {
        while !Task.isCancelled {
            if count == 0 {
                if endsBy != nil { return }
                await pause()
                continue
            }
            if count < configuration.settleAt, endsBy == nil { try? await Task.sleep(for: configuration.settleEvery) }
            if await !flush() {
                if let endsBy, endsBy < .now { return }
                try? await Task.sleep(for: configuration.settleEvery * 10)
            }
        }
    }

    func end() {
        endsBy = .now + .seconds(5)
        wake()
    }

    private func pause() async {
        await withTaskCancellationHandler {
            await withCheckedContinuation { alarm = $0 }
        } onCancel: {
            Task { await self.wake() }
        }
    }

    private func wake() { alarm.take()?.resume() }

    /// Returns false if something could not be written.
    private func flush() async -> Bool {
        let batch = waiting
        waiting = [:]
        count = 0
        var succeeded = true
        for (verb, settlements) in batch {
            // A row's newest lease comes last, where it is found.
            let sorted = settlements.sorted { ($0.lease.id, $0.lease.token) < ($1.lease.id, $1.lease.token) }
            do {
                let found = try await write(verb, sorted)
                metrics.leasesLost.add(sorted.count - found)
            } catch {
                succeeded = false
                Log.warning("settlements not written", [.cause: .string(error.description)])
                metrics.settlementFailures.add()
                keep(sorted, verb, isOutage: error.isRetriable)
            }
        }
        return succeeded
    }

    /// What the server refuses for a reason that waiting does not mend is tried until the lease ends.
    private func keep(_ settlements: [Settlement], _ verb: Settlement.Verb, isOutage: Bool) {
        let now = ContinuousClock.now
        let still = settlements.filter { isOutage || $0.until > now }
        metrics.leasesLost.add(settlements.count - still.count)
        waiting[verb, default: []].append(contentsOf: still)
        count += still.count
    }

    private func write(_ verb: Settlement.Verb, _ settlements: [Settlement]) async throws(PostgresError) -> Int {
        let leases = Leases(settlements.map(\.lease))
        return switch verb {
        case .confirmHint: try await store.confirmHints(leases)
        case .confirmEvent: try await store.confirmEvents(leases)
        case .keepUnknown: try await store.keepUnknown(leases)
        case .release: try await store.release(leases)
        case .postpone:
            try await store.postpone(leases, by: settlements.map(\.delay), errors: settlements.map(\.reason))
        case .bury: try await store.bury(leases, errors: settlements.map(\.reason))
        }
    }
}
