/// Runs tests of rising and falling rates until the highest that meets an objective is found.
public struct MaximumRun: Sendable {
    let plan: LoadPlan
    let objective: Objective
    /// Of each try.
    let seconds: Double

    public init(_ plan: LoadPlan, _ objective: Objective, seconds: Double) {
        self.plan = plan
        self.objective = objective
        self.seconds = seconds
    }

    /// The report of the highest rate that was met, else of the last try, with all tries. `measure` runs one test. Ends at once
    /// when a hint is lost: that is no question of the rate.
    public func run(_ measure: (LoadPlan) async throws -> LoadReport) async throws -> LoadReport {
        var search = MaximumSearch(first: max(1, plan.shape.highest))
        var tries: [LoadReport.Try] = []
        var best: LoadReport?
        var last: LoadReport?
        while let rate = search.next {
            try Task.checkCancellation()
            var attempt = plan
            attempt.shape = .constant(rate)
            attempt.seconds = seconds
            // Other jobs each time, of the same seed all the same.
            attempt.seed = plan.seed &+ UInt64(tries.count) &* 7919
            let report = try await measure(attempt)
            let isMet = objective.isMet(by: report)
            tries.append(LoadReport.Try(rate: rate, isMet: isMet, report: report))
            search.record(rate, isMet: isMet)
            if isMet { best = report }
            last = report
            if !report.isKept {
                best = report
                break
            }
        }
        guard var report = best ?? last else { preconditionFailure("the first rate is always tried") }
        report.tries = tries
        report.objective = objective
        return report
    }
}
