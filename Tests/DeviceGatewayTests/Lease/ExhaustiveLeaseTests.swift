import Testing

/// Every state that three devices can bring one job's lease into, in up to four epochs.
@Suite struct ExhaustiveLeaseTests {
    /// Breadth first, devices being alike; how many states there are, or the first step that breaks an invariant.
    static func explore(_ defect: PlantedDefect?) throws(BrokenInvariant) -> Int {
        var seen: Set<LeaseModel> = [LeaseModel()]
        var front = [LeaseModel()]
        while let state = front.popLast() {
            for step in state.steps() {
                let next = try state.after(step, defect).canonical
                if seen.insert(next).inserted { front.append(next) }
            }
        }
        return seen.count
    }

    @Test func `R-62: no history breaks I-12 to I-16`() throws {
        #expect(try Self.explore(nil) > 1_000)
    }

    @Test(arguments: PlantedDefect.allCases)
    func `every planted defect is found`(_ defect: PlantedDefect) {
        #expect(throws: BrokenInvariant.self) { try Self.explore(defect) }
    }
}
