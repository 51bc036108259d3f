import AMQP
import Delivery
import LocalStack
import Postgres

/// Looks at everything once a second.
actor Watcher {
    private let site: LoadSite
    private let database: Database
    private let ledger: Ledger
    private let queues: [String]
    private var processes = ProcessWatch()
    private var strikes: [String] = []
    private(set) var samples: [Sample] = []
    private let show: @Sendable (Sample) -> Void

    init(
        _ site: LoadSite, _ database: Database, _ ledger: Ledger, routes: [Route],
        show: @escaping @Sendable (Sample) -> Void
    ) {
        self.site = site
        self.database = database
        self.ledger = ledger
        queues = routes.map(\.queue) + ["recorder.outcomes"]
        self.show = show
    }

    func note(_ strike: String) { strikes.append(strike) }

    /// Until its task is cancelled.
    func run() async {
        var broker: AMQP.Connection?
        if let stack = site.stack { _ = processes.look(await ProcessWatch.families(stack)) }
        var tick = 0
        while !Task.isCancelled {
            tick += 1
            let due = ledger.epoch + Int64(tick) * 1_000_000 - MachineClock.now
            try? await Task.sleep(for: .microseconds(max(1000, due)))
            if broker == nil {
                broker = try? await AMQP.Connection.open(ConnectionSettings(url: site.amqpURL), name: "load-test/watch")
            }
            let sample = await look(broker)
            samples.append(sample)
            show(sample)
        }
        await broker?.close()
    }

    private func look(_ broker: AMQP.Connection?) async -> Sample {
        var sample = Sample()
        let now = MachineClock.now - ledger.epoch
        sample.at = Double(now) / 1e6
        sample.intended = await ledger.intended(by: now)
        // Before the counts, so that nothing ends between them.
        if let row = try? await database.query(
            """
            SELECT count(*) AS due, count(*) FILTER (WHERE lease_until > now()) AS leased,
                   count(*) FILTER (WHERE due_at > now() AND lease_until IS NULL) AS deferred
              FROM delivery.due WHERE route > 0
            """, within: .seconds(10)
        ).one() {
            sample.due = Int((try? row["due"] as Int64) ?? 0)
            sample.leased = Int((try? row["leased"] as Int64) ?? 0)
            sample.deferred = Int((try? row["deferred"] as Int64) ?? 0)
        }
        let tally = await ledger.tally
        sample.committed = tally.committed
        sample.published = tally.published
        sample.sent = tally.sent
        sample.accepted = tally.accepted
        sample.requests = tally.requests
        sample.refused = tally.refused
        (sample.recent, sample.all) = await ledger.takeRecent()
        if let broker { sample.queues = (try? await BrokerTap.ready(queues, on: broker)) ?? [:] }
        if let stack = site.stack {
            (sample.processors, sample.memory) = processes.look(await ProcessWatch.families(stack))
        }
        sample.strikes = strikes
        strikes = []
        return sample
    }
}
