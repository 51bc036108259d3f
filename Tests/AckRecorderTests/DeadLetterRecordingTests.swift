import AMQP
import Daemon
import Delivery
import Messages
import Postgres
import Testing

@testable import AckRecorder

@Suite(.timeLimit(.minutes(2)))
struct DeadLetterRecordingTests {
    private func recording(_ scene: Scene) -> DeadLetterRecording {
        DeadLetterRecording(
            database: scene.recorder, configuration: scene.configuration,
            counters: DeadLetterRecording.Counters(Metrics()))
    }

    private func letter(_ entry: Identifier, seq: Int, reason: String = "faulty_request") -> DeadLetter {
        DeadLetter(
            AMQP.Delivery(
                tag: 1, exchange: "dead", routingKey: "hints.apns.dead", messageID: entry.description, type: "hint.v1",
                headers: ["md-seq": .integer(Int64(seq)), "md-reason": .string(reason), "md-status": 400]))
    }

    private func entryID(_ scene: Scene, _ job: Identifier) async throws -> Identifier {
        try await scene.world.query("SELECT entry FROM delivery.job_device WHERE job_id = \(job)").one()["entry"]
    }

    @Test func `a dead letter of the current seq ends its entry with its reason`() async throws {
        try await Scene.with { scene in
            let job = try await scene.publishedJob()
            try await recording(scene).record([letter(entryID(scene, job), seq: 1)])
            let entry = try await scene.entry(job)
            #expect(entry.state == "failed")
            #expect(entry.reason == "faulty_request")
            #expect(!entry.hasDue)
        }
    }

    @Test func `a dead letter of an earlier seq is indexed and ends nothing`() async throws {
        try await Scene.with { scene in
            let job = try await scene.publishedJob()
            try await scene.publish(job)
            try await recording(scene).record([letter(entryID(scene, job), seq: 1)])
            #expect(try await scene.entry(job).state == "pending")
            let indexed: Int = try await scene.world.query("SELECT count(*) AS n FROM delivery.dead_letter").one()["n"]
            #expect(indexed == 1)
        }
    }

    @Test func `it ends an entry that already waits for its next attempt`() async throws {
        try await Scene.with { scene in
            let job = try await scene.publishedJob()
            try await scene.record(scene.outcome(.ambiguous, job))
            try await recording(scene).record([letter(entryID(scene, job), seq: 1, reason: "delivery_limit")])
            #expect(try await scene.entry(job).reason == "delivery_limit")
        }
    }

    @Test func `the same letter again is counted, not added`() async throws {
        try await Scene.with { scene in
            let job = try await scene.publishedJob()
            let one = letter(try await entryID(scene, job), seq: 1)
            try await recording(scene).record([one, one])
            try await recording(scene).record([one])
            let repeats: Int = try await scene.world.query("SELECT repeats FROM delivery.dead_letter").one()["repeats"]
            #expect(repeats == 2)
        }
    }

    @Test func `indexing never announces anything`() async throws {
        try await Scene.with { scene in
            let job = try await scene.publishedJob()
            try await recording(scene).record([letter(entryID(scene, job), seq: 1)])
            let events: Int = try await scene.world.query("SELECT count(*) AS n FROM delivery.event_outbox").one()["n"]
            #expect(events == 0)
        }
    }

    @Test func `the row keeps what operators need`() async throws {
        try await Scene.with { scene in
            let job = try await scene.publishedJob()
            let entry = try await entryID(scene, job)
            try await recording(scene).record([letter(entry, seq: 1)])
            let row = try await scene.world.query(
                "SELECT queue, message_id, seq, reason, status, entry, entry_created_at, state FROM delivery.dead_letter"
            ).one()
            #expect(try row.get("queue", as: String.self) == "hints.apns.dead")
            #expect(try row.get("message_id", as: String.self) == entry.description)
            #expect(try row.get("status", as: Int.self) == 400)
            #expect(try row.get("entry", as: Identifier.self) == entry)
            #expect(try row.get("entry_created_at", as: Timestamp?.self) != nil)
            #expect(try row.get("state", as: String.self) == "open")
        }
    }

    @Test func `a letter with a character that the database refuses is poison`() async throws {
        try await Scene.with { scene in
            let bad = letter(.random(), seq: 1, reason: "nul \u{0}")
            let error = await #expect(throws: RecordingError.self) { try await recording(scene).record([bad]) }
            guard case .poison = error else {
                Issue.record("\(String(describing: error))")
                return
            }
        }
    }
}
