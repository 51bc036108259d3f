import Delivery
import Postgres
import Storage
import TestSupport
import Testing

@testable import FanoutCoordinator

@Suite(.serialized, .timeLimit(.minutes(5)))
struct `Bodies and sealed keys` {
    private var prompt: Configuration {
        var configuration = CoordinatorFixture.configuration
        configuration.purgeAfter = .zero
        return configuration
    }

    private func end(_ job: Identifier, _ column: String, _ fixture: CoordinatorFixture) async throws {
        try await fixture.setDevices(of: job, "acknowledged")
        try await fixture.database.execute(
            """
            UPDATE delivery.generation_job SET \(unescaped: column) = now(), cancellation_done_at = now()
             WHERE job_id = \(job)
            """)
    }

    @Test(arguments: ["completed_at", "expired_at", "cancelled_at"])
    func `go once the job has ended`(column: String) async throws {
        try await CoordinatorFixture.with { fixture in
            let job = try await fixture.commit()
            try await end(job, column, fixture)
            try await fixture.withCoordinator(prompt) {
                try await becomes { try await fixture.text("purged_at", of: job) != nil }
                #expect(try await fixture.count("true", in: "job_body") == 0)
                #expect(try await fixture.count("sealed_key IS NOT NULL", in: "job_device") == 0)
            }
        }
    }

    @Test func `stay for a while after the end`() async throws {
        try await CoordinatorFixture.with { fixture in
            let resting = try await fixture.commit()
            try await end(resting, "completed_at", fixture)
            let old = try await fixture.commit()
            try await end(old, "completed_at", fixture)
            try await fixture.database.execute(
                "UPDATE delivery.generation_job SET completed_at = now() - interval '2 hours' WHERE job_id = \(old)")
            try await fixture.withCoordinator {
                try await becomes { try await fixture.text("purged_at", of: old) != nil }
                #expect(try await fixture.text("purged_at", of: resting) == nil)
            }
        }
    }

    @Test func `stay while fan-out is open, also after a cancellation`() async throws {
        try await CoordinatorFixture.with { fixture in
            // Not publishable: its ciphertexts are missing.
            let open = try await fixture.commit()
            try await fixture.submit(open)
            try await fixture.database.execute("DELETE FROM delivery.downstream_ciphertext")
            try await end(open, "cancelled_at", fixture)
            let done = try await fixture.commit(recipients: [])
            try await end(done, "completed_at", fixture)
            try await fixture.withCoordinator(prompt) {
                try await becomes { try await fixture.text("purged_at", of: done) != nil }
                #expect(try await fixture.text("purged_at", of: open) == nil)
            }
        }
    }

    @Test func `of what was fanned out go after their retention`() async throws {
        try await CoordinatorFixture.with { fixture in
            let job = try await fixture.commit()
            try await fixture.submit(job)
            var configuration = CoordinatorFixture.configuration
            configuration.ciphertextRetention = .zero
            try await fixture.withCoordinator(configuration) {
                try await becomes { try await fixture.count("true", in: "downstream_ciphertext") == 0 }
                #expect(try await fixture.count("purged_at IS NOT NULL", in: "downstream_submission") == 1)
            }
        }
    }
}
