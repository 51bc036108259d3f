import Delivery
import Messages
import Postgres
import Testing

/// I-18, decision 7: what a provider says is about a hint, never about a receipt.
@Suite(.timeLimit(.minutes(2)))
struct AcceptanceIsNotCompletionTests {
    private func rows(_ scene: Scene, _ job: Identifier) async throws -> String {
        try await scene.world.query(
            """
            SELECT d::text || j::text AS rows FROM delivery.job_device d JOIN delivery.generation_job j USING (job_id)
             WHERE job_id = \(job)
            """
        ).one()["rows"]
    }

    @Test(arguments: OutcomeKind.allCases)
    func `R-24, R-59: no outcome of a provider changes a device's part of a job, or the job`(kind: OutcomeKind)
        async throws
    {
        try await Scene.with { scene in
            let job = try await scene.publishedJob()
            let before = try await rows(scene, job)
            let outcome = try await scene.outcome(kind, job) {
                $0.status = 500
                $0.reason = "test"
                if kind == .returnedPaused { $0.pause = "test" }
            }
            try await scene.record(outcome)
            #expect(try await rows(scene, job) == before)
            #expect(try await scene.events("job.completed.v1").isEmpty)
        }
    }
}
