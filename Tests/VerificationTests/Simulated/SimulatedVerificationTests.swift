import LocalStack
import Testing

@testable import Verification

extension VerificationStackTests {
    @Test func `R-66, R-67, R-68, R-69, R-70, R-71, R-72, R-73, R-74, R-75: all eight steps pass`() async throws {
        let report = try await verify(nil)
        #expect(report.hasPassed, "\(report.text)")
        #expect(report.outcomes.flatMap(\.timelines).allSatisfy { $0.events.count > 2 })
    }

    @Test(arguments: VerificationDefect.allCases)
    func `a planted bug fails the step that is about it`(defect: VerificationDefect) async throws {
        let report = try await verify(defect)
        #expect(report.failure?.step == defect.step, "\(report.text)")
    }

    private func verify(_ defect: VerificationDefect?) async throws -> VerificationReport {
        try await VerificationStackTests.withStack { stack in
            try await SimulatedStage.with(stack, seed: 7, defect: defect) { stage in
                var patience = SimulatedStage.patience
                // What a planted bug keeps from ever coming need not be waited for as long as what a slow machine keeps.
                if defect == .syncByCursor { patience.completion = .seconds(12) }
                return try await Verification(
                    producer: stage.producer, phone: stage.phones, patience: patience, jobs: stage.jobs
                ).run(title: "test")
            }
        }
    }
}
