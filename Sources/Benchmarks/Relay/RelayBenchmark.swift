import Delivery
import LocalStack
import Messages
import Postgres

/// `bench relay`: rows that the relay publishes and has confirmed a second, beside a bare librabbitmq loop with the same
/// message, queue and window.
///
/// The queue has a consumer that holds one message and takes no more, and its cap is lifted, so that neither the broker
/// nor the relay does more in one half than in the other.
public struct RelayBenchmark: Sendable {
    public var rows = 100_000
    public var rounds = 3
    public var window = 500
    public var devices = 8

    public init() {}

    /// `rows` is rounded down to whole jobs.
    public func run(on site: OutboxSite) async throws -> Report {
        let rows = rows / devices * devices
        let filler = OutboxFiller(database: site.owner, devices: devices)
        try await filler.makeAccounts()
        let settings = RelayRun.settings(window: window)
        return try await HeldHint.with(site, filler, settings) { hint in
            try await clear(site)
            let bodyFile = "\(site.stack.folder)/hint.json"
            try site.stack.servers.folder.write(String(decoding: hint, as: UTF8.self), to: bodyFile)
            let bare = BarePublisher(
                stack: site.stack, route: OutboxSite.route, window: window, bodyFile: bodyFile)
            var rounds: [Report.Round] = []
            var memory = DrainMemory()
            for number in 1...self.rounds {
                let baseline = try await bare.rate(messages: rows)
                try await site.purge(OutboxSite.route.queue)
                try await filler.commit(hints: rows)
                let outcome = try await RelayRun(site: site, settings: settings).drain(rows, number: number)
                try await clear(site)
                rounds.append(Report.Round(value: outcome.rate, baseline: baseline))
                memory.add(outcome.memory, rows: rows)
            }
            return try await report(rounds, memory, site)
        }
    }

    private func clear(_ site: OutboxSite) async throws {
        try await site.owner.execute("TRUNCATE delivery.due", within: .seconds(60))
        try await site.purge(OutboxSite.route.queue)
    }

    private func report(_ rounds: [Report.Round], _ memory: DrainMemory, _ site: OutboxSite) async throws -> Report {
        var report = Report(
            "relay", compares: "rows published and confirmed a second ÷ a bare librabbitmq loop", unit: "messages/s",
            goal: .atLeast(0.6), rounds: rounds)
        report.details = memory.facts
        report.settings = [
            Report.Fact("rows", .integer(Int64(rows))), Report.Fact("window", .integer(Int64(window))),
            Report.Fact("devicesPerJob", .integer(Int64(devices))),
        ]
        report.versions = try await site.versions()
        return report
    }
}
