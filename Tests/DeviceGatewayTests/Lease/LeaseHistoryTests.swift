import Testing

/// The model's histories on a real database: every call that the server can tell from others gets the model's answer.
@Suite(.serialized, .timeLimit(.minutes(3))) struct LeaseHistoryTests {
    /// As many in one statement.
    private static let batch = 50

    private static func firstDifference(
        _ runner: LeaseHistoryRunner, _ paths: [[LeaseHistories.Move]]
    ) async throws -> String? {
        try await withThrowingTaskGroup(of: String?.self) { group in
            for start in stride(from: 0, to: paths.count, by: batch) {
                group.addTask {
                    if Task.isCancelled { return nil }
                    return try await runner.take(Array(paths[start..<min(start + batch, paths.count)]))
                }
            }
            while let difference = try await group.next() {
                guard difference == nil else {
                    group.cancelAll()
                    return difference
                }
            }
            return nil
        }
    }

    @Test func `the database answers every call as the model does, and I-12 to I-14 hold in what it wrote`()
        async throws
    {
        let histories = try LeaseHistories()
        let paths = histories.paths()
        #expect(histories.callCount > 10_000)
        try await LeaseHistoryRunner.with { runner in
            let difference = try await Self.firstDifference(runner, paths)
            #expect(difference == nil)
            let broken = try await runner.brokenInvariants()
            #expect(broken == 0)
        }
    }

    @Test(arguments: LeaseDefect.allCases.filter(\.isSeenInAnswers))
    func `a defect planted in the database changes an answer`(_ defect: LeaseDefect) async throws {
        let paths = try LeaseHistories().paths()
        try await LeaseHistoryRunner.with { runner in
            try await defect.plant(in: runner.database)
            #expect(try await Self.firstDifference(runner, paths) != nil)
        }
    }

    @Test(arguments: [nil, LeaseDefect.clockReadBeforeLock])
    func `expiry is judged after the lock, or a device is turned away from a lease that is over`(
        _ defect: LeaseDefect?
    ) async throws {
        try await withWorld { world in
            try await defect?.plant(in: world.administrator)
            #expect(try await world.answerAfterExpiryWhileWaiting() == (defect == nil ? "granted" : "held"))
        }
    }

    @Test(arguments: [nil, LeaseDefect.deviceNotLockedOnSubmit])
    func `a revocation waits for a submission under way, or one is accepted after it`(
        _ defect: LeaseDefect?
    ) async throws {
        try await withWorld { world in
            try await defect?.plant(in: world.administrator)
            #expect(try await world.revocationOvertakesSubmission() == (defect != nil))
        }
    }
}
