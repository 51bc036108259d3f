import Delivery
public import LocalStack
import Messages

/// `bench aged-outbox`: what a hint costs with much finished history behind it, beside what it costs without. Two
/// databases on one server take turns.
public struct AgedOutboxBenchmark: Sendable {
    /// Finished hints in the aged database.
    public var history = 10_000_000
    /// Hints of each round.
    public var hints = 20_000
    public var rounds = 3
    public var devices = 8

    public init() {}

    public func run(on servers: Servers, _ programs: Programs) async throws -> Report {
        try await OutboxSite.with(servers, programs, name: "bench_aged") { aged in
            try await OutboxSite.with(servers, programs, name: "bench_new") { new in
                let filler = OutboxFiller(database: aged.owner, devices: devices)
                try await filler.makeAccounts()
                try await OutboxHistory(database: aged.owner, devices: devices).write(history)
                try await OutboxFiller(database: new.owner, devices: devices).makeAccounts()
                // A system without a history has its partitions all the same, and plans its statements over them.
                try await OutboxHistory(database: new.owner, devices: devices).makePartitions()
                return try await compare(aged, new)
            }
        }
    }

    private func compare(_ aged: OutboxSite, _ new: OutboxSite) async throws -> Report {
        try await withLife(aged) { agedLife in
            try await withLife(new) { newLife in
                var costs: [(aged: HintLife.Cost, new: HintLife.Cost)] = []
                for number in 1...rounds {
                    let hints = hints / devices * devices
                    let baseline = try await newLife.measure(hints, number: number)
                    costs.append((try await agedLife.measure(hints, number: number), baseline))
                }
                return try await report(costs, aged)
            }
        }
    }

    private func withLife(
        _ site: OutboxSite, _ body: (HintLife) async throws -> Report
    ) async throws -> Report {
        let filler = OutboxFiller(database: site.owner, devices: devices)
        let settings = RelayRun.settings(window: 500)
        return try await HeldHint.with(site, filler, settings) { _ in
            let life = HintLife(site: site, filler: filler, settings: settings)
            _ = try await life.recordOutcomes()
            try await site.purge(OutboxSite.route.queue)
            return try await body(life)
        }
    }

    private func report(_ costs: [(aged: HintLife.Cost, new: HintLife.Cost)], _ site: OutboxSite) async throws -> Report
    {
        var report = Report(
            "aged-outbox", compares: "cost of a hint with \(history) finished ones behind it ÷ with none", unit: "µs",
            goal: .atMost(1.2), rounds: costs.map { Report.Round(value: $0.aged.total, baseline: $0.new.total) })
        func median(_ name: String, _ value: (HintLife.Cost) -> Double) -> [Report.Fact] {
            [
                Report.Fact(name, .decimal(Report.text(Statistics.median(costs.map { value($0.aged) })))),
                Report.Fact("\(name)Baseline", .decimal(Report.text(Statistics.median(costs.map { value($0.new) })))),
            ]
        }
        report.details = median("commit", \.commit) + median("relay", \.relay) + median("outcome", \.outcome)
        report.settings = [
            Report.Fact("history", .integer(Int64(history))), Report.Fact("hints", .integer(Int64(hints))),
            Report.Fact("devicesPerJob", .integer(Int64(devices))),
        ]
        report.versions = try await site.versions()
        return report
    }
}
