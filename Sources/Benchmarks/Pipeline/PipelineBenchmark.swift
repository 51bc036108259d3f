import Delivery
public import LocalStack
import Messages
import Postgres

/// `bench pipeline`: hints a second through the whole system, from the relay's start to the last outcome recorded, beside a
/// librabbitmq publisher and consumer that do nothing else, on one quorum queue.
///
/// Two figures: jobs of two devices that were committed while the relay was stopped, and jobs of eight devices that are
/// committed meanwhile.
public struct PipelineBenchmark: Sendable {
    /// Of two devices each; a quarter as many of eight.
    public var jobs = 20_000
    public var rounds = 3
    public var window = 500

    public init() {}

    public func run(on servers: Servers, _ programs: Programs) async throws -> Report {
        var report = try await PipelineSite.with(servers, programs, name: "bench_pipeline", devices: 2) {
            try await measure(
                $0, "pipeline", compares: "hints committed before ÷ a bare publisher and consumer", goal: 0.35,
                committedBefore)
        }
        let meanwhile = try await PipelineSite.with(servers, programs, name: "bench_commits", devices: 8) {
            try await measure(
                $0, "pipeline with commits", compares: "hints committed meanwhile ÷ a bare publisher and consumer",
                goal: 0.25, committedMeanwhile)
        }
        report.also = [meanwhile]
        report.settings = [
            Report.Fact("jobs", .integer(Int64(jobs))), Report.Fact("window", .integer(Int64(window))),
        ]
        return report
    }

    /// The first figure alone, without its baseline and details: hints a second of one round.
    func drainRate(on servers: Servers, _ programs: Programs) async throws -> Double {
        try await PipelineSite.with(servers, programs, name: "bench_maximum", devices: 2) {
            try await committedBefore($0).rate
        }
    }

    /// Hints a second, and what each part used of the processors for one.
    private struct Outcome {
        let rate: Double
        let costs: [(name: String, microseconds: Double)]
    }

    private func measure(
        _ site: PipelineSite, _ name: String, compares: String, goal: Double,
        _ once: (PipelineSite) async throws -> Outcome
    ) async throws -> Report {
        let stack = site.stack.site
        let load = try SenderLoad(
            stack, route: PipelineSite.apns, paths: ["/3/device/" + String(repeating: "0", count: 64)])
        let bodyFile = "\(stack.folder)/hint.json"
        try stack.servers.folder.write(String(decoding: load.sample, as: UTF8.self), to: bodyFile)
        let bare = BarePublisher(stack: stack, route: PipelineSite.apns, window: window, bodyFile: bodyFile)
        var measured: [Report.Round] = []
        var costs: [String: [Double]] = [:]
        for _ in 1...rounds {
            // Its messages are for no sender.
            await site.stack.stop(.apnsSender)
            let baseline = try await bare.rate(messages: jobs * 2, andConsumes: true)
            try await site.stack.start(.apnsSender)
            let outcome = try await once(site)
            measured.append(Report.Round(value: outcome.rate, baseline: baseline))
            for (name, cost) in outcome.costs { costs[name, default: []].append(cost) }
        }
        var report = Report(name, compares: compares, unit: "hints/s", goal: .atLeast(goal), rounds: measured)
        report.details = costs.map { ($0.key, Statistics.median($0.value)) }.sorted { $0.1 > $1.1 }.map {
            Report.Fact("\($0.0) µs a hint", .decimal(Report.text($0.1)))
        }
        return report
    }

    /// All jobs are there when the relay starts.
    private func committedBefore(_ site: PipelineSite) async throws -> Outcome {
        let hints = try await site.commit(jobs)
        var meter = ProcessorMeter(site.stack)
        await meter.start()
        let since = try await site.now()
        try await site.stack.launch(.relay)
        try await site.waitUntilRecorded()
        let costs = await meter.microseconds(of: hints)
        await site.stack.stop(.relay)
        return Outcome(rate: Double(hints) / (try await site.seconds(from: since, hints: hints)), costs: costs)
    }

    /// The relay is there before the first job.
    private func committedMeanwhile(_ site: PipelineSite) async throws -> Outcome {
        try await site.stack.start(.relay)
        var meter = ProcessorMeter(site.stack)
        await meter.start()
        let since = try await site.now()
        let hints = try await site.commit(jobs / 4)
        try await site.waitUntilRecorded()
        let costs = await meter.microseconds(of: hints)
        await site.stack.stop(.relay)
        return Outcome(rate: Double(hints) / (try await site.seconds(from: since, hints: hints)), costs: costs)
    }
}
