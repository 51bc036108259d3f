import Delivery
import Messages
import Postgres
import Testing

@testable import AckRecorder

@Suite(.timeLimit(.minutes(2)))
struct ConcurrencyTests {
    private func ack(_ job: Identifier, _ device: Identifier) -> DeviceAck {
        DeviceAck(job: job, device: device, result: .acknowledged, origin: .hint, clientSequence: 1, receivedAt: 0)
    }

    /// As the loop does: a conflict is tried again.
    private func recordThroughConflicts(_ body: () async throws(RecordingError) -> Void) async throws(RecordingError) {
        while true {
            do throws(RecordingError) { return try await body() } catch .conflict { continue }
        }
    }

    @Test func `a job whose last two steps are recorded at once completes exactly once`() async throws {
        try await Scene.with(devices: 2) { scene in
            var jobs: [Identifier] = []
            for _ in 0..<40 { jobs.append(try await scene.publishedJob()) }
            try await withThrowingTaskGroup { group in
                for job in jobs {
                    for device in scene.devices {
                        group.addTask { try await scene.record(acks: [ack(job, device)]) }
                    }
                }
                try await group.waitForAll()
            }
            let open: Int = try await scene.world.query(
                "SELECT count(*) AS n FROM delivery.generation_job WHERE completed_at IS NULL"
            ).one()["n"]
            #expect(open == 0)
            #expect(try await scene.events("job.completed.v1").count == jobs.count)
        }
    }

    @Test func `an uncommitted ack holds the other committer back until the job can be judged`() async throws {
        try await Scene.with(devices: 2) { scene in
            let job = try await scene.publishedJob()
            var second: Task<Void, any Error>?
            try await scene.world.transaction { first in
                _ = try await first.query(
                    """
                    SELECT * FROM delivery.record_acks(\([job]), \([scene.devices[0]]), \(["acknowledged"]),
                                                       \(["hint"]), \([[UInt8]?.none]), \([String?.none]))
                    """)
                second = Task { try await scene.record(acks: [ack(job, scene.devices[1])]) }
                // Commits only once the other one waits for its lock.
                var waits = false
                while !waits {
                    waits = try await scene.world.query(
                        """
                        SELECT EXISTS (SELECT FROM pg_stat_activity
                                        WHERE datname = current_database() AND wait_event_type = 'Lock') AS waits
                        """
                    ).one()["waits"]
                }
            }
            try await second?.value
            #expect(try await scene.events("job.completed.v1").count == 1)
        }
    }

    @Test func `recorders with overlapping batches in opposite order all get through`() async throws {
        try await Scene.with(devices: 8) { scene in
            var acks: [DeviceAck] = []
            var outcomes: [Outcome] = []
            for _ in 0..<10 {
                let job = try await scene.publishedJob()
                for device in scene.devices {
                    acks.append(ack(job, device))
                    outcomes.append(try await scene.outcome(.accepted, job, device: device))
                    outcomes.append(try await scene.outcome(.tokenSuspect, job, device: device))
                }
            }
            let batch = OutcomeBatch(instance: "sender-1", route: scene.route, outcomes: outcomes)
            let backwards = OutcomeBatch(instance: "sender-2", route: scene.route, outcomes: outcomes.reversed())
            try await withThrowingTaskGroup { [acks] group in
                for _ in 0..<3 {
                    group.addTask {
                        try await recordThroughConflicts { () async throws(RecordingError) in
                            try await scene.ackRecording.record(acks)
                        }
                    }
                    group.addTask {
                        try await recordThroughConflicts { () async throws(RecordingError) in
                            try await scene.ackRecording.record(acks.reversed())
                        }
                    }
                    group.addTask {
                        try await recordThroughConflicts { () async throws(RecordingError) in
                            try await scene.outcomeRecording.record([batch])
                        }
                    }
                    group.addTask {
                        try await recordThroughConflicts { () async throws(RecordingError) in
                            try await scene.outcomeRecording.record([backwards])
                        }
                    }
                }
                try await group.waitForAll()
            }
            let left: Int = try await scene.world.query(
                """
                SELECT (SELECT count(*) FROM delivery.due WHERE route > 0)
                       + (SELECT count(*) FROM delivery.push_outbox WHERE state = 'pending')
                       + (SELECT count(*) FROM delivery.job_device WHERE state <> 'acknowledged')
                       + (SELECT count(*) FROM delivery.generation_job WHERE completed_at IS NULL) AS n
                """
            ).one()["n"]
            #expect(left == 0)
            #expect(try await scene.events("job.completed.v1").count == 10)
        }
    }
}
