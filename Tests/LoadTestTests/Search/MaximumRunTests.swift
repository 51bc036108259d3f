import Delivery
import Testing

@testable import LoadTest

@Suite struct MaximumRunTests {
    private let objective = Objective(percentile: 99, limit: 1)

    /// What a test of that plan would say of a system that takes 300 jobs a second.
    private func answer(_ plan: LoadPlan, losing: Bool = false) -> LoadReport {
        var fate = HintFate(job: .random(), device: .random(), entry: .random())
        fate.state = "accepted"
        fate.acceptances = losing ? 0 : 1
        var conservation = Conservation()
        conservation.add(fate)
        var latencies = StageLatencies()
        latencies.record(.accept, plan.shape.highest <= 300 ? 20_000 : 3_000_000)
        var report = LoadReport(plan: plan, samples: [], conservation: conservation)
        report.parts = [latencies]
        report.hasDrained = true
        return report
    }

    private func run(losingAbove limit: Double = .infinity) async throws -> (plans: [LoadPlan], report: LoadReport) {
        var plan = LoadPlan()
        plan.shape = .ramp(from: 1, to: 100)
        var plans: [LoadPlan] = []
        let report = try await MaximumRun(plan, objective, seconds: 7).run { attempt in
            plans.append(attempt)
            return answer(attempt, losing: attempt.shape.highest > limit)
        }
        return (plans, report)
    }

    @Test func `the report is that of the highest rate that met the objective, with every try`() async throws {
        let (plans, report) = try await run()
        #expect(report.plan.shape == .constant(300))
        #expect(report.tries.map(\.rate) == plans.map(\.shape.highest))
        #expect(report.tries.map(\.isMet) == plans.map { $0.shape.highest <= 300 })
        #expect(report.text.contains("tried    400 jobs/s: missed, p99 3 s"))
    }

    @Test func `every rate is tried for the same time, with jobs of its own`() async throws {
        let (plans, _) = try await run()
        #expect(plans.allSatisfy { $0.seconds == 7 })
        #expect(Set(plans.map(\.seed)).count == plans.count)
    }

    @Test func `a loss ends the search, and its report is the result`() async throws {
        let (plans, report) = try await run(losingAbove: 150)
        #expect(plans.map(\.shape.highest) == [100, 200])
        #expect(!report.isKept)
    }
}
