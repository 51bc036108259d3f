import Delivery
import LocalStack
import Messages
import Postgres

/// `bench fairness`: how long ten hints of a quiet account wait, at worst, from due to published: while a busy account has
/// a great many due on the same route, and while as many wait on another route that is paused. A second is what they have.
public struct FairnessBenchmark: Sendable {
    /// Due hints of the busy account.
    public var rows = 1_000_000
    /// How often ten hints are committed and watched, in either case.
    public var trials = 5

    private static let allowed = 1000.0

    public init() {}

    public func run(on site: OutboxSite) async throws -> Report {
        let busy = OutboxFiller(database: site.owner, devices: 8)
        try await busy.makeAccounts(1, prefix: "busy")
        let quiet = try await quietAccount(site, OutboxSite.route)
        let elsewhere = try await quietAccount(site, OutboxSite.otherRoute)
        try await busy.commit(hints: rows, prefix: "busy")
        let beside = try await DrainedQueue.with(site, OutboxSite.route) {
            try await worst(site, quiet, log: "relay-beside")
        }
        try await site.owner.execute(
            "UPDATE delivery.route_state SET hand_paused = true WHERE provider = \(OutboxSite.route.provider.rawValue)")
        let behind = try await DrainedQueue.with(site, OutboxSite.otherRoute) {
            try await worst(site, elsewhere, log: "relay-behind")
        }
        var report = Report(
            "fairness", compares: "slowest of ten hints of a quiet account, from due to published ÷ a second",
            unit: "ms", goal: .atMost(1),
            rounds: [Report.Round(value: max(beside, behind), baseline: Self.allowed)])
        report.details = [
            Report.Fact("besideBusyAccountMilliseconds", .decimal(Report.text(beside))),
            Report.Fact("besidePausedRouteMilliseconds", .decimal(Report.text(behind))),
        ]
        report.settings = [
            Report.Fact("rows", .integer(Int64(rows))), Report.Fact("trials", .integer(Int64(trials))),
        ]
        report.versions = try await site.versions()
        return report
    }

    /// The prefix of an account with five devices that does not share its place in line with the busy one.
    private func quietAccount(_ site: OutboxSite, _ route: Route) async throws -> String {
        let prefix: String = try await site.owner.query(
            """
            SELECT p.name FROM generate_series(1, 1000) n, LATERAL (SELECT \(route.provider.rawValue) || n AS name) p
             WHERE delivery.share_of(p.name || '-1') <> delivery.share_of('busy-1') ORDER BY n LIMIT 1
            """
        ).one()["name"]
        try await OutboxFiller(database: site.owner, devices: 5).makeAccounts(1, prefix: prefix, route: route)
        return prefix
    }

    /// Milliseconds of the slowest hint in all trials, while a relay runs.
    private func worst(_ site: OutboxSite, _ account: String, log: String) async throws -> Double {
        let process = try StackProcess(
            "relay",
            ProcessCommand(
                site.stack.programs.mobileDelivery, ["relay"], environment: site.stack.environment(of: .relay)),
            logPath: "\(site.stack.folder)/\(log).log")
        do {
            try await process.ready()
            var worst = 0.0
            for _ in 0..<trials { worst = max(worst, try await trial(site, account)) }
            await process.child.end(within: .seconds(25))
            return worst
        } catch {
            await process.child.end(within: .seconds(2))
            throw error
        }
    }

    /// Commits ten hints and waits until all are published.
    private func trial(_ site: OutboxSite, _ account: String) async throws -> Double {
        // Those of the trial before.
        try await site.owner.execute("DELETE FROM delivery.due WHERE share = delivery.share_of(\(account + "-1"))")
        for _ in 0..<2 {
            try await OutboxFiller(database: site.owner, devices: 5).commit(hints: 5, prefix: account)
        }
        let end = ContinuousClock.now + .seconds(60)
        while ContinuousClock.now < end {
            let row = try await site.owner.query(
                """
                SELECT count(*) FILTER (WHERE d.published_at IS NOT NULL) AS published,
                       coalesce(extract(epoch FROM max(d.published_at - d.due_at)) * 1000, 0)::float8 AS slowest
                  FROM delivery.due d
                 WHERE d.share = delivery.share_of(\(account + "-1"))
                """, within: .seconds(30)
            ).one()
            let published: Int64 = try row["published"]
            if published == 10 { return try row["slowest"] }
            try await Task.sleep(for: .milliseconds(100))
        }
        throw Unusable("ten hints of a quiet account were not published within a minute")
    }
}
