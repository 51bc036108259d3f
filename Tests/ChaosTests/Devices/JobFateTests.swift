import Delivery
import Testing

@testable import Chaos

/// Bad ends of a job, each of which has to be named, and the good one that has to pass.
@Suite struct JobFateTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let what: String
        var change: @Sendable (inout JobFate) -> Void
        var testDescription: String { what }
    }

    private static var good: JobFate {
        JobFate(job: .random(), acknowledged: 2, effects: ["ledger": ["id"]])
    }

    private func faults(_ fate: JobFate) -> [String] { fate.faults(devices: 2, recipients: ["ledger"]) }

    @Test func `a job that went well has no fault`() {
        #expect(faults(Self.good).isEmpty)
    }

    @Test(arguments: [
        Case(what: "nobody submitted") { $0.submissions = 0 },
        Case(what: "two submissions were accepted") { $0.submitted = 2 },
        Case(what: "a device has not acknowledged") { $0.acknowledged = 1 },
        Case(what: "two receipts") { $0.receipts = 2 },
        Case(what: "it is open") { $0.isComplete = false },
        Case(what: "it was announced twice") { $0.completions = 2 },
        Case(what: "a recipient got nothing") { $0.effects = [:] },
        Case(what: "a recipient got two messages") { $0.effects["ledger"] = ["id", "other"] },
        Case(what: "somebody whom nobody named got one") { $0.effects["press"] = ["id"] },
    ])
    func `a bad end is one fault`(_ bad: Case) {
        var fate = Self.good
        bad.change(&fate)
        #expect(faults(fate).count == 1)
    }
}
