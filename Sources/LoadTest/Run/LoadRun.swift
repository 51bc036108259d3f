import Daemon
import Delivery
import DeviceFleet
import LocalStack
import Messages
import Postgres

/// One load test on one system: makes accounts, commits jobs at their times, watches, waits for the end and counts.
public struct LoadRun: Sendable {
    let site: LoadSite
    let plan: LoadPlan
    /// Is shown every look.
    let show: @Sendable (Sample) -> Void

    public init(_ site: LoadSite, _ plan: LoadPlan, show: @escaping @Sendable (Sample) -> Void = { _ in }) {
        self.site = site
        self.plan = plan
        self.show = show
    }

    private static let nothing = #"{"rules":[]}"#

    public func run() async throws -> LoadReport {
        if plan.outsiders > 0 { try await announceCommits() }
        // Connections made after that have the setting.
        let database = Database(try ConnectionSettings(url: site.databaseURL), connections: plan.producers + 1)
        let stage = try await LoadStage.make(site, plan, database)
        do {
            let report = try await drive(stage)
            await stage.clear()
            return report
        } catch {
            try? await site.providers.follow(script: Self.nothing)
            await stage.clear()
            throw error
        }
    }

    /// So that there is an event a job for outsiders.
    private func announceCommits() async throws {
        let connection = try await Connection.open(ConnectionSettings(url: site.databaseURL))
        let name: String = try await connection.query("SELECT quote_ident(current_database()) AS name").one()["name"]
        try await connection.execute("ALTER DATABASE \(unescaped: name) SET mobile_delivery.announce = 'job.committed'")
        await connection.close()
    }

    private func drive(_ stage: LoadStage) async throws -> LoadReport {
        let script = plan.providers.script(seed: plan.seed)
        try await site.providers.follow(script: script)
        let since: Timestamp = try await stage.database.query("SELECT clock_timestamp() AS now").one()["now"]
        let epoch = MachineClock.now + 200_000
        let ledger = Ledger(HintTable(arrivals: stage.arrivals, accounts: stage.accounts), epoch: epoch)
        let watcher = Watcher(site, stage.database, ledger, routes: plan.routes.weights.map(\.route), show: show)
        let readers = try await LoadReaders.start(stage, ledger)
        let watching = Task { await watcher.run() }
        let hasDrained: Bool
        do {
            hasDrained = try await work(stage, ledger, watcher, readers, script)
        } catch {
            watching.cancel()
            try? await readers.stop()
            throw error
        }
        watching.cancel()
        await watching.value
        try await readers.stop()
        try await site.providers.follow(script: Self.nothing)
        return try await LoadAudit(stage: stage, plan: plan, since: since, ledger: ledger).report(
            await watcher.samples, outsiders: readers.outsiders, hasDrained: hasDrained,
            lastWords: hasDrained ? [] : await site.stack?.lastWords() ?? [])
    }

    /// Until the last arrival is committed, the last fault is over and every hint has its end; false if some have none in time.
    private func work(
        _ stage: LoadStage, _ ledger: Ledger, _ watcher: Watcher, _ readers: LoadReaders, _ script: String
    ) async throws -> Bool {
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                try await Producers(
                    database: stage.database, ledger: ledger, arrivals: stage.arrivals, accounts: stage.accounts,
                    plan: plan, author: stage.author
                ).run()
            }
            if let stack = site.stack, !plan.faults.strikes.isEmpty {
                group.addTask {
                    try await plan.faults.run(on: stack, epoch: ledger.epoch) { await watcher.note($0) }
                }
            }
            if case .foreground = plan.shape {
                group.addTask {
                    try await MassForeground(
                        providers: site.providers, phones: stage.phones, seconds: plan.seconds, script: script
                    ).run(epoch: ledger.epoch) { await watcher.note($0) }
                }
            }
            try await group.waitForAll()
        }
        let deadline = ContinuousClock.now + .seconds(plan.patience)
        while !(try await isOver(stage)) {
            guard .now < deadline else { return false }
            try readers.check()
            try await Task.sleep(for: .milliseconds(100))
        }
        return true
    }

    private func isOver(_ stage: LoadStage) async throws -> Bool {
        let row = try await stage.database.query(
            """
            SELECT NOT EXISTS (SELECT FROM delivery.due) AS is_drained,
                   NOT EXISTS (SELECT FROM delivery.generation_job j JOIN unnest(\(stage.phoneAccounts)) p (account)
                                   ON j.account_id = p.account
                                WHERE j.completed_at IS NULL AND j.expired_at IS NULL) AS is_complete
            """
        ).one()
        return try row["is_drained"] && row["is_complete"]
    }
}
