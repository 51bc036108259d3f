import LocalStack
import Testing

@Suite struct EvidenceTests {
    private func evidence(
        isComplete: Bool = true, states: [String: String] = ["phone": "acknowledged"],
        digests: [String: String] = ["phone": "d"], effects: [String: Set<String>] = ["ledger": ["id"]]
    ) -> Evidence {
        Evidence(
            job: "job", documentType: "RECEIPT", isComplete: isComplete, states: states,
            acknowledgedEvidence: states.filter { $0.value == "acknowledged" }.mapValues { _ in "e" }, digests: digests,
            effects: effects, recipients: ["ledger"])
    }

    @Test func `a job that went all the way has no gap`() {
        #expect(evidence().gaps.isEmpty)
    }

    /// A 202 and an acceptance by the provider are no part of the evidence, so nothing can be said with them.
    @Test func `R-25: a job of which no more is known than that its push was accepted is no success`() {
        let gaps = evidence(isComplete: false, states: ["phone": "pending"], digests: [:], effects: [:]).gaps
        #expect(
            gaps == [
                "the job is not complete", "device phone is pending", "0 of 1 phones have a receipt",
                "the acknowledged evidence is not the same from every device", "0 downstream effects for ledger",
            ])
    }

    @Test(arguments: [0, 1, 2, 3])
    func `R-25: one missing part is a gap`(part: Int) {
        let incomplete = [
            evidence(isComplete: false), evidence(states: ["phone": "pending"]), evidence(digests: [:]),
            evidence(effects: [:]),
        ]
        #expect(!incomplete[part].gaps.isEmpty)
    }
}
