import Delivery
import Messages
import Postgres
import Testing

@testable import AckRecorder

@Suite(.timeLimit(.minutes(2)))
struct AckRecordingTests {
    private func ack(_ job: Identifier, _ device: Identifier, _ result: DeviceResult = .acknowledged) -> DeviceAck {
        DeviceAck(
            job: job, device: device, result: result, origin: .hint,
            evidence: result == .acknowledged ? [UInt8](repeating: 5, count: 32) : nil,
            reason: result == .failed ? FailureReason.cannotDecrypt.rawValue : nil, clientSequence: 1, receivedAt: 0)
    }

    private func isComplete(_ scene: Scene, _ job: Identifier) async throws -> Bool {
        try await scene.world.query(
            "SELECT completed_at IS NOT NULL AS done FROM delivery.generation_job WHERE job_id = \(job)"
        ).one()["done"]
    }

    @Test func `an ack makes the device acknowledged and its hint superseded`() async throws {
        try await Scene.with { scene in
            let job = try await scene.publishedJob()
            try await scene.record(acks: [ack(job, scene.device)])
            #expect(try await scene.deviceState(job) == "acknowledged")
            let entry = try await scene.entry(job)
            #expect(entry.state == "superseded")
            #expect(entry.seq == 1)
            #expect(!entry.hasDue)
        }
    }

    @Test func `origin and evidence are kept`() async throws {
        try await Scene.with { scene in
            let job = try await scene.publishedJob()
            try await scene.record(acks: [ack(job, scene.device)])
            let row = try await scene.world.query("SELECT origin, evidence FROM delivery.job_device").one()
            #expect(try row.get("origin", as: String.self) == "hint")
            #expect(try row.get("evidence", as: [UInt8].self) == [UInt8](repeating: 5, count: 32))
        }
    }

    @Test func `the last device's ack completes the job, once`() async throws {
        try await Scene.with(devices: 2) { scene in
            let job = try await scene.publishedJob()
            try await scene.record(acks: [ack(job, scene.devices[0])])
            #expect(try await isComplete(scene, job) == false)
            try await scene.record(acks: [ack(job, scene.devices[1])])
            try await scene.record(acks: [ack(job, scene.devices[1]), ack(job, scene.devices[0])])
            #expect(try await isComplete(scene, job))
            #expect(try await scene.events("job.completed.v1").count == 1)
        }
    }

    @Test func `R-61: one device's ack changes no other device's part of the job`() async throws {
        try await Scene.with(devices: 3) { scene in
            let job = try await scene.publishedJob()
            func others() async throws -> [String] {
                try await scene.world.query(
                    "SELECT d::text AS part FROM delivery.job_device d WHERE device_id <> \(scene.devices[0]) ORDER BY 1"
                ).map { try $0["part"] }
            }
            let before = try await others()
            try await scene.record(acks: [ack(job, scene.devices[0])])
            #expect(try await scene.deviceState(job, scene.devices[0]) == "acknowledged")
            #expect(try await others() == before)
        }
    }

    @Test func `an open fan-out keeps the job open`() async throws {
        try await Scene.with { scene in
            let job = try await scene.publishedJob(recipients: ["shop"])
            try await scene.record(acks: [ack(job, scene.device)])
            #expect(try await isComplete(scene, job) == false)
        }
    }

    @Test func `a nack makes the device failed, is announced, and is a last step too`() async throws {
        try await Scene.with { scene in
            let job = try await scene.publishedJob()
            try await scene.record(acks: [ack(job, scene.device, .failed)])
            #expect(try await scene.deviceState(job) == "failed")
            #expect(try await scene.entry(job).state == "superseded")
            #expect(try await isComplete(scene, job))
            let event = try #require(try await scene.events("device.failed.v1").first)
            #expect(event.routingKey == "device.failed")
            let body = try DeviceFailed(decoding: event.body)
            #expect(body.job == job)
            #expect(body.device == scene.device)
            #expect(body.reason == "cannot-decrypt")
        }
    }

    @Test func `a later ack raises failed to acknowledged`() async throws {
        try await Scene.with { scene in
            let job = try await scene.publishedJob()
            try await scene.record(acks: [ack(job, scene.device, .failed)])
            try await scene.record(acks: [ack(job, scene.device)])
            #expect(try await scene.deviceState(job) == "acknowledged")
        }
    }

    @Test func `a nack after an ack changes nothing`() async throws {
        try await Scene.with { scene in
            let job = try await scene.publishedJob()
            try await scene.record(acks: [ack(job, scene.device)])
            try await scene.record(acks: [ack(job, scene.device, .failed)])
            #expect(try await scene.deviceState(job) == "acknowledged")
            #expect(try await scene.events("device.failed.v1").isEmpty)
        }
    }

    @Test func `ack and nack in one batch count as the ack, whatever their order`() async throws {
        try await Scene.with(devices: 2) { scene in
            let job = try await scene.publishedJob()
            let (one, two) = (scene.devices[0], scene.devices[1])
            try await scene.record(acks: [ack(job, one), ack(job, one, .failed), ack(job, two, .failed), ack(job, two)])
            #expect(try await scene.deviceState(job, one) == "acknowledged")
            #expect(try await scene.deviceState(job, two) == "acknowledged")
            #expect(try await scene.events("device.failed.v1").isEmpty)
        }
    }

    @Test(arguments: ["expired", "cancelled", "revoked"])
    func `an ack after the end is only noted`(state: String) async throws {
        try await Scene.with { scene in
            let job = try await scene.publishedJob()
            try await scene.world.execute("UPDATE delivery.job_device SET state = \(state)")
            try await scene.record(acks: [ack(job, scene.device, .failed)])
            let before: Bool = try await scene.world.query(
                "SELECT late_ack_at IS NULL AS none FROM delivery.job_device"
            ).one()["none"]
            #expect(before)
            try await scene.record(acks: [ack(job, scene.device)])
            #expect(try await scene.deviceState(job) == state)
            let after: Bool = try await scene.world.query(
                "SELECT late_ack_at IS NULL AS none FROM delivery.job_device"
            ).one()["none"]
            #expect(!after)
        }
    }

    @Test func `an ack of nothing known is counted and harms no neighbour`() async throws {
        try await Scene.with { scene in
            let job = try await scene.publishedJob()
            let row = try await scene.recorder.query(
                """
                SELECT * FROM delivery.record_acks(
                    \([Identifier.random(), job]), \([scene.device, scene.device]), \(["acknowledged", "acknowledged"]),
                    \(["hint", "hint"]), \([[UInt8]?.none, nil]), \([String?.none, nil]))
                """
            ).one()
            #expect(try row.get("unknown", as: Int.self) == 1)
            #expect(try row.get("acknowledged", as: Int.self) == 1)
            #expect(try row.get("completed", as: Int.self) == 1)
        }
    }

    @Test func `device.acknowledged is announced only when somebody asked for it`() async throws {
        try await Scene.with { scene in
            let first = try await scene.publishedJob()
            try await scene.record(acks: [ack(first, scene.device)])
            #expect(try await scene.events("device.acknowledged.v1").isEmpty)
            let name: String = try await scene.world.query("SELECT current_database()::text AS name").one()["name"]
            try await scene.world.execute(
                "ALTER DATABASE \(unescaped: name) SET mobile_delivery.announce = 'device.acknowledged'")
            let fresh = Database(scene.recorder.settings, connections: 1)
            let second = try await scene.publishedJob()
            _ = try await fresh.query(
                """
                SELECT * FROM delivery.record_acks(\([second]), \([scene.device]), \(["acknowledged"]), \(["hint"]),
                                                   \([[UInt8]?.none]), \([String?.none]))
                """)
            await fresh.close()
            let event = try #require(try await scene.events("device.acknowledged.v1").first)
            #expect(try DeviceAcknowledged(decoding: event.body).job == second)
        }
    }
}
