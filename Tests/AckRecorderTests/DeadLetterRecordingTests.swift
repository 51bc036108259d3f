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

    @Test(arguments: OutcomeKind.allCases)
    func `what comes late from the life before a replay changes nothing`(_ kind: OutcomeKind) async throws {
        try await Scene.with { scene in
            let job = try await scene.publishedJob()
            let late = try await scene.outcome(kind, job)
            try await recording(scene).record([letter(entryID(scene, job), seq: 1)])
            let change: Int64 = try await scene.world.query(
                "SELECT delivery.begin_change('anna', 'dead replay', 'all', '{}') AS n"
            ).one()["n"]
            try await scene.world.execute(
                """
                SELECT delivery.replay_letters(\(change), (SELECT array_agg(dead_letter_id) FROM delivery.dead_letter))
                """)
            try await scene.publish(job)
            let before = try await scene.entry(job)
            #expect(before.state == "pending" && before.life == 2 && before.seq == 2)
            try await scene.record(late)
            var after = try await scene.entry(job)
            after.wait = before.wait
            #expect(after == before)
            // The letter of that life, once more.
            try await recording(scene).record([letter(entryID(scene, job), seq: 1)])
            #expect(try await scene.entry(job).state == "pending")
        }
    }

    @Test func `a message that comes again after its letter was closed is open again, a hint's letter is not`()
        async throws
    {
        try await Scene.with { scene in
            let job = try await scene.publishedJob()
            let hint = letter(try await entryID(scene, job), seq: 1)
            let other = DeadLetter(
                AMQP.Delivery(tag: 1, exchange: "dead", routingKey: "recorder.dead", messageID: "m-1", type: "ack.v1"))
            try await recording(scene).record([hint, other])
            try await scene.world.execute("UPDATE delivery.dead_letter SET state = 'replayed'")
            try await recording(scene).record([hint, other])
            let open: [String] = try await scene.world.query(
                "SELECT array_agg(message_id) AS ids FROM delivery.dead_letter WHERE state = 'open'"
            ).one()["ids"]
            #expect(open == ["m-1"])
        }
    }

    @Test func `a hint of a version to come ends its entry too`() async throws {
        try await Scene.with { scene in
            let job = try await scene.publishedJob()
            let entry = try await entryID(scene, job)
            let newer = DeadLetter(
                AMQP.Delivery(
                    tag: 1, exchange: "dead", routingKey: "hints.apns.dead", messageID: entry.description,
                    type: "hint.v2", headers: ["md-seq": 1, "md-reason": "unknown_version"]))
            try await recording(scene).record([newer])
            #expect(try await scene.entry(job).reason == "unknown_version")
        }
    }

    @Test func `the broker's word is newer than ours: a replay takes its headers away`() {
        let again = DeadLetter(
            AMQP.Delivery(
                tag: 1, exchange: "dead", routingKey: "recorder.dead", messageID: "m-1", type: "ack.v1",
                headers: [
                    "md-reason": "malformed", "md-replay": 1,
                    "x-death": .array([.table(["reason": "delivery_limit", "queue": "recorder.acks"])]),
                ]))
        #expect(again.reason == "delivery_limit" && again.seq == 1)
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
