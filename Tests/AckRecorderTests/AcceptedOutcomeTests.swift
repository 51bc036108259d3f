import Delivery
import Messages
import Postgres
import Testing

@Suite(.timeLimit(.minutes(2)))
struct AcceptedOutcomeTests {
    @Test func `an acceptance ends the entry and removes its due row`() async throws {
        try await Scene.with { scene in
            let job = try await scene.publishedJob()
            try await scene.record(scene.outcome(.accepted, job) { $0.providerID = "provider-1" })
            let entry = try await scene.entry(job)
            #expect(entry.state == "accepted")
            #expect(entry.providerID == "provider-1")
            #expect(entry.seq == 1)
            #expect(!entry.hasDue)
        }
    }

    @Test func `an acceptance of an earlier seq of this life ends the entry too`() async throws {
        try await Scene.with { scene in
            let job = try await scene.publishedJob()
            try await scene.publish(job)
            try await scene.record(scene.outcome(.accepted, job) { $0.seq = 1 })
            let entry = try await scene.entry(job)
            #expect(entry.state == "accepted")
            #expect(entry.seq == 2)
        }
    }

    @Test func `an acceptance of another life changes nothing`() async throws {
        try await Scene.with { scene in
            let job = try await scene.publishedJob()
            try await scene.world.execute("UPDATE delivery.due SET life = 2")
            try await scene.record(scene.outcome(.accepted, job) { $0.life = 1 })
            #expect(try await scene.entry(job).state == "pending")
        }
    }

    @Test func `an acceptance while the entry waits for another attempt ends it`() async throws {
        try await Scene.with { scene in
            let job = try await scene.publishedJob()
            try await scene.record(scene.outcome(.ambiguous, job))
            try await scene.record(scene.outcome(.accepted, job))
            let entry = try await scene.entry(job)
            #expect(entry.state == "accepted")
            #expect(entry.failures == 1)
        }
    }

    @Test func `the provider id of the first acceptance stays`() async throws {
        try await Scene.with { scene in
            let job = try await scene.publishedJob()
            let first = try await scene.outcome(.accepted, job) { $0.providerID = "first" }
            let second = try await scene.outcome(.accepted, job) { $0.providerID = "second" }
            try await scene.record([first, second])
            try await scene.record(second)
            #expect(try await scene.entry(job).providerID == "first")
        }
    }

    @Test func `an acceptance changes nothing about the device or the job (fault 14)`() async throws {
        try await Scene.with { scene in
            let job = try await scene.publishedJob()
            try await scene.record(scene.outcome(.accepted, job))
            #expect(try await scene.deviceState(job) == "pending")
            let open: Bool = try await scene.world.query(
                "SELECT completed_at IS NULL AS open FROM delivery.generation_job WHERE job_id = \(job)"
            ).one()["open"]
            #expect(open)
        }
    }

    @Test func `a terminal entry stays as it is`() async throws {
        try await Scene.with { scene in
            let job = try await scene.publishedJob()
            let late = try await scene.outcome(.accepted, job)
            try await scene.record(scene.outcome(.tokenDead, job) { $0.providerTime = .max / 2 })
            try await scene.record(late)
            #expect(try await scene.entry(job).state == "failed")
        }
    }

    @Test func `a batch of many entries ends each of them`() async throws {
        try await Scene.with(devices: 20) { scene in
            let job = try await scene.publishedJob()
            var outcomes: [Outcome] = []
            for device in scene.devices { outcomes.append(try await scene.outcome(.accepted, job, device: device)) }
            try await scene.record(outcomes)
            let left: Int = try await scene.world.query("SELECT count(*) AS n FROM delivery.due").one()["n"]
            #expect(left == 0)
        }
    }
}
