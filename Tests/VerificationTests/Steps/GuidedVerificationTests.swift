import Delivery
import LocalStack
import Synchronization
import Testing

@testable import Verification

/// The verification against an environment that is not the lab's: instructions go out, a person confirms, and the server's
/// state alone decides. The person is one who owns simulated phones.
extension VerificationStackTests {
    @Test func `R-65: a person who does what is asked gets all eight steps passed`() async throws {
        let (report, shown) = try await guided(VerificationStep.allCases) { _ in true }
        #expect(report.hasPassed, "\(report.text)")
        #expect(shown.contains { $0.contains(PhoneAction.forceQuit.instruction) })
        #expect(shown.contains { $0.hasPrefix("committed ") })
    }

    @Test func `a phone that was not force-quit fails that step by its acknowledgement`() async throws {
        let (report, _) = try await guided([.registration, .forceQuit]) { $0 != .forceQuit }
        #expect(report.failure?.step == .forceQuit)
        #expect(report.failure?.problem?.contains("the phone was not away") == true, "\(report.text)")
    }

    @Test func `nobody at the terminal is said so`() async throws {
        try await VerificationStackTests.withStack { stack in
            try await SimulatedStage.with(stack, seed: 1) { stage in
                let person = PersonInCharge(show: { _ in }, confirm: { false })
                let report = try await Verification(producer: stage.producer, phone: person, jobs: stage.jobs)
                    .run([.background], title: "test")
                #expect(report.failure?.problem?.hasPrefix("nobody is there to do") == true)
            }
        }
    }

    /// `does` says which instructions the person follows.
    private func guided(
        _ steps: [VerificationStep], does: @escaping @Sendable (PhoneAction) -> Bool
    ) async throws -> (VerificationReport, [String]) {
        let lines = Lines()
        let report = try await VerificationStackTests.withStack { stack in
            try await SimulatedStage.with(stack, seed: 3) { stage in
                let person = PersonInCharge(show: { lines.add($0) }) {
                    guard let action = lines.lastAction, does(action) else { return true }
                    return (try? await stage.phones.perform(action)) != nil
                }
                return try await Verification(
                    producer: stage.producer, phone: person, patience: SimulatedStage.patience, jobs: stage.jobs,
                    tell: { lines.add($0) }
                ).run(steps, title: "test")
            }
        }
        return (report, lines.all)
    }
}

/// What was shown to the person.
private final class Lines: Sendable {
    private let lines = Mutex<[String]>([])

    func add(_ line: String) { lines.withLock { $0.append(line) } }
    var all: [String] { lines.withLock { $0 } }

    var lastAction: PhoneAction? {
        for line in all.reversed() {
            if let action = PhoneAction.allCases.first(where: { line.contains($0.instruction) }) { return action }
        }
        return nil
    }
}
