import Delivery
import LoadTest
public import LocalStack
import Messages

/// `bench latency`: from the intended arrival of a job to the provider's acceptance of its hint, while jobs arrive at a
/// tenth of the highest rate that the same run found.
///
/// Arrivals are by chance (as a Poisson process has them) and do not wait for the system, so that a stall counts for
/// everything that should have arrived meanwhile.
public struct LatencyBenchmark: Sendable {
    /// Of two devices each, drained to find the highest rate.
    public var jobs = 10_000
    /// Of arrivals.
    public var seconds = 20.0
    public var share = 0.1
    /// What the figures are compared with, in milliseconds.
    private static let goals = Report.Percentiles(p50: 15, p99: 60)

    public init() {}

    public func run(on servers: Servers, _ programs: Programs) async throws -> Report {
        var pipeline = PipelineBenchmark()
        pipeline.jobs = jobs
        let maximum = try await pipeline.drainRate(on: servers, programs)
        var plan = LoadPlan()
        plan.shape = .constant(maximum * share / 2)
        plan.seconds = seconds
        plan.stampsPublish = false
        let load = try await LoadSite.privately(on: servers, programs, plan) { try await LoadRun($0, plan).run() }
        guard load.isKept, load.isDrained,
            let p50 = load.milliseconds(to: .accept, 0.5), let p99 = load.milliseconds(to: .accept, 0.99)
        else { throw Unusable("not every hint is accounted for:\n\(load.text)") }
        var report = figure("latency", compares: "p50 from a job's arrival to acceptance ÷ 15 ms", p50, Self.goals.p50)
        report.percentiles = Report.Percentiles(p50: p50, p99: p99)
        report.baselinePercentiles = Self.goals
        report.also = [figure("latency p99", compares: "p99 of the same ÷ 60 ms", p99, Self.goals.p99)]
        report.settings = [
            fact("maximumHintsASecond", maximum), fact("hintsASecond", maximum * share), fact("seconds", seconds),
        ]
        return report
    }

    private func figure(_ name: String, compares: String, _ value: Double, _ most: Double) -> Report {
        Report(name, compares: compares, unit: "ms", goal: .atMost(1), rounds: [.init(value: value, baseline: most)])
    }

    private func fact(_ name: String, _ number: Double) -> Report.Fact {
        Report.Fact(name, .decimal(Report.text(number)))
    }
}
