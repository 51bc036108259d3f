import Delivery
import Postgres
import TestSupport
import Testing

/// I-17: whichever two last steps of a job happen at once, and whichever locks first, the job ends, and says so once.
@Suite(.serialized, .timeLimit(.minutes(3))) struct LastStepsTests {
    private func hasEnded(_ job: OpenJob, _ pair: StepPair, _ stage: CompletionStage) async throws -> Bool {
        let (row, announced) = try await stage.ends(of: job)
        return row.count == 1 && announced == row && pair.ends.contains(row[0])
    }

    /// Those pairs after which a job is not what it has to be.
    private func brokenPairs(_ stage: CompletionStage) async throws -> [String] {
        var broken: [String] = []
        for pair in StepPair.all {
            let transactions = pair.steps[0].transactions(on: OpenJob(id: .random(), devices: [.random(), .random()]))
            for held in transactions.indices {
                let job = try await stage.openJob(for: pair)
                try await stage.takeAtOnce(pair, holding: held, on: job)
                try await stage.takeWhatIsLeft(of: job)
                if !(try await hasEnded(job, pair, stage)) { broken.append("\(pair.name), \(held)") }
            }
        }
        return broken
    }

    @Test func `every pair of last steps, in both orders of their locks, ends the job once`() async throws {
        #expect(StepPair.all.count == 79)
        try await CompletionStage.with { stage in
            let broken = try await brokenPairs(stage)
            #expect(broken == [])
        }
    }

    @Test func `every pair of last steps started together ends the job once, without a deadlock`() async throws {
        try await CompletionStage.with { stage in
            for _ in 0..<5 {
                for pair in StepPair.all {
                    let job = try await stage.openJob(for: pair)
                    async let first: Void = stage.take(pair.steps[0], on: job, side: 0)
                    async let second: Void = stage.take(pair.steps[1], on: job, side: 1)
                    _ = try await (first, second)
                    try await stage.takeWhatIsLeft(of: job)
                    let isOver = try await hasEnded(job, pair, stage)
                    #expect(isOver, "\(pair.name)")
                }
            }
        }
    }

    /// Whoever doubts the two tests above sees that they notice it.
    @Test func `without the locks on jobs, two acks leave their job open for ever`() async throws {
        try await CompletionStage.with { stage in
            for function in ["lock_jobs", "try_complete", "finish_fanout"] {
                let original: String = try await stage.administrator.query(
                    "SELECT pg_get_functiondef(\("delivery.\(function)")::regproc) AS text"
                ).one()["text"]
                let parts = original.split(separator: " FOR UPDATE", omittingEmptySubsequences: false)
                try #require(parts.count > 1)
                try await stage.administrator.script(parts.joined())
            }
            let broken = try await brokenPairs(stage)
            #expect(broken.contains("firstAcknowledges then secondAcknowledges, 0"))
            #expect(broken.contains("fanoutEnds then secondAcknowledges, 0"))
        }
    }
}
