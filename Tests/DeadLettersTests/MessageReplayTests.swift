import AMQP
import Daemon
import Operations
import Postgres
import TestSupport
import Testing

@testable import DeadLetters

/// Messages that are no hints, between real queues.
@Suite(.timeLimit(.minutes(2))) struct MessageReplayTests {
    @Test func `a message goes byte for byte into the queue that failed, with our headers and without the broker's`()
        async throws
    {
        try await DeadQueueFixture.with { fixture in
            let sent = try await fixture.bury(
                id: "m-1", headers: ["x-death": .array([.table(["queue": "recorder.acks"])]), "traceparent": "00-ab"])
            let result = try await fixture.letters.replay()
            #expect(result.messages == 1 && result.skipped == 0)
            let arrived = try await fixture.drain("recorder.acks")
            let message = try #require(arrived.first)
            #expect(arrived.count == 1 && message.body == sent.body && message.messageID == "m-1")
            #expect(message.type == sent.type && message.contentType == "text/plain" && message.appID == "someone")
            #expect(message.correlationID == "c-1" && message.timestamp == 1234)
            #expect(!message.headers.keys.contains { $0.hasPrefix("x-death") })
            #expect(message.headers["traceparent"] == "00-ab" && message.headers["md-key"] == "ack")
            #expect(message.headers["md-replay"] == 1)
            #expect(try await fixture.comes("recorder.dead", to: 0))
            #expect(try await fixture.letters.count("delivery.dead_letter WHERE state = 'replayed'") == 1)
            #expect(try await fixture.letters.audit() == ["anna@test dead replay all: mended done 0"])
            #expect(try await fixture.letters.replay().messages == 0)
            #expect(try await fixture.comes("recorder.acks", to: 0))
        }
    }

    @Test func `those before it go to the end of their own queue and nowhere else`() async throws {
        try await DeadQueueFixture.with { fixture in
            for number in 1...5 { try await fixture.bury(id: "m-\(number)") }
            try await fixture.bury(id: "not indexed yet", isIndexed: false)
            let copies = try await fixture.depth("dead.index")
            let last: Int64 = try await fixture.letters.admin.query(
                "SELECT dead_letter_id AS id FROM delivery.dead_letter WHERE message_id = 'm-4'"
            ).one()["id"]
            #expect(try await fixture.letters.replay { $0.id = last }.messages == 1)
            #expect(try await fixture.drain("recorder.acks").map(\.messageID) == ["m-4"])
            let left = try await fixture.drain("recorder.dead")
            #expect(
                left.map(\.messageID).sorted() == ["m-1", "m-2", "m-3", "m-5", "not indexed yet"])
            #expect(left.allSatisfy { $0.headers["md-replay"] == nil && $0.headers["md-reason"] == "malformed" })
            #expect(try await fixture.comes("dead.index", to: copies))
        }
    }

    private struct Killed: Error {}

    @Test func `killed after the confirm, it is in both queues; killed after the note, no second one is published`()
        async throws
    {
        try await DeadQueueFixture.with { fixture in
            try await fixture.bury(id: "m-1")
            let letter: Int64 = try await fixture.letters.admin.query(
                "SELECT dead_letter_id AS id FROM delivery.dead_letter"
            ).one()["id"]
            func pass(_ settled: ([QueuePass.Decided]) async throws -> Void) async throws {
                var pace: ReplayPace?
                _ = try await QueuePass(fixture.broker, .recorder).run(pace: &pace, until: Shutdown()) { batch in
                    batch.map { QueuePass.Decided(delivery: $0, fate: .replay(to: "recorder.acks"), letter: letter) }
                } settled: { decided in
                    try await settled(decided)
                    throw Killed()
                }
            }
            await #expect(throws: Killed.self) { try await pass { _ in } }
            #expect(try await fixture.drain("recorder.acks").count == 1)
            #expect(try await eventually { try await fixture.depth("recorder.dead") == 1 })
            let change = try await ChangeSite(fixture.letters.database, actor: "a").begin(
                "dead replay", subject: "all", filter: "{}")
            await #expect(throws: Killed.self) {
                try await pass { _ in
                    try await fixture.letters.database.execute(
                        "SELECT delivery.close_messages(\(change), ARRAY[\(letter)])")
                }
            }
            #expect(try await fixture.drain("recorder.acks").count == 1)
            #expect(try await eventually { try await fixture.depth("recorder.dead") == 1 })
            let swept = try await fixture.letters.run.sweep(nil, until: Shutdown())
            #expect(swept.removed == 1 && swept.messages == 0)
            #expect(try await fixture.comes("recorder.acks", to: 0))
            #expect(try await fixture.comes("recorder.dead", to: 0))
        }
    }

    @Test func `a replay that finds no queue leaves everything where it is, and says what to do`() async throws {
        try await DeadQueueFixture.with { fixture in
            try await fixture.bury(id: "m-1")
            let connection = try await AMQP.Connection.open(fixture.broker, name: "test/delete")
            try await connection.deleteQueue("recorder.acks")
            await connection.close()
            let error = await #expect(throws: CommandFailure.self) { _ = try await fixture.letters.replay() }
            #expect(error.map { "\($0)" }?.contains("topology apply") == true)
            #expect(try await eventually { try await fixture.depth("recorder.dead") == 1 })
            #expect(try await fixture.letters.count("delivery.dead_letter WHERE state = 'open'") == 1)
        }
    }

    @Test func `copies of replayed hints leave their queues, those of open letters stay`() async throws {
        try await DeadQueueFixture.with { fixture in
            try await fixture.letters.fail(2)
            try await fixture.buryHints()
            let one: Int64 = try await fixture.letters.admin.query(
                "SELECT min(dead_letter_id) AS id FROM delivery.dead_letter WHERE queue = 'hints.apns.dead'"
            ).one()["id"]
            let result = try await fixture.letters.replay { $0.id = one }
            #expect(result.replayed == 1 && result.removed == 1)
            #expect(try await fixture.comes("hints.apns.dead", to: 1))
            #expect(try await fixture.comes("hints.fcm.dead", to: 2))
            let discard = try await fixture.letters.run.run(
                .discard, DeadLetterFilter(), reason: "test", rate: nil, until: Shutdown())
            #expect(discard.removed == 3)
            #expect(try await fixture.comes("hints.apns.dead", to: 0))
            #expect(try await fixture.comes("hints.fcm.dead", to: 0))
        }
    }

    @Test func `a message that dies again after its replay is another letter, and can be replayed too`() async throws {
        try await DeadQueueFixture.with { fixture in
            try await fixture.bury(id: "m-1")
            #expect(try await fixture.letters.replay().messages == 1)
            _ = try await fixture.drain("recorder.acks")
            try await fixture.bury(
                id: "m-1", key: "recorder.acks", headers: ["md-replay": 1, "md-exchange": "replay"], isIndexed: false)
            try await fixture.index(.recorder, id: "m-1", type: "ack.v1", replay: 1)
            #expect(try await fixture.letters.replay().messages == 1)
            #expect(try await fixture.drain("recorder.acks").first?.headers["md-replay"] == 2)
        }
    }

    @Test func `what is no hint of ours in a queue of hints can only be discarded`() async throws {
        try await DeadQueueFixture.with { fixture in
            try await fixture.bury(.apns, id: "junk", type: "")
            #expect(try await fixture.letters.replay().verdicts == [.stray: 1])
            #expect(try await fixture.comes("hints.apns.dead", to: 1))
            let discarded = try await fixture.letters.run.run(
                .discard, DeadLetterFilter(), reason: "junk", rate: nil, until: Shutdown())
            #expect(discarded.discarded == 1 && discarded.removed == 1)
        }
    }

    @Test func `parking is read in place, and goes back to the queue that failed`() async throws {
        try await DeadQueueFixture.with { fixture in
            let died = HeaderValue.array([.table(["queue": "dead.index", "reason": "delivery_limit"])])
            let other = HeaderValue.array([.table(["queue": "downstream.default", "reason": "rejected"])])
            try await fixture.publish([
                Message(
                    exchange: "parking", routingKey: "dead.index", messageID: "p-1", type: "ack.v1",
                    headers: ["x-death": died], body: [1]),
                Message(
                    exchange: "parking", routingKey: "RECEIPT.ledger", messageID: "p-2", type: "downstream.v1",
                    headers: ["x-death": other], body: [1, 2]),
            ])
            let parked = try await ParkedMessage.read(from: fixture.broker, atMost: 10)
            #expect(parked.map(\.origin) == ["dead.index", "downstream.default"])
            #expect(parked.map(\.reason) == ["delivery_limit", "rejected"] && parked.map(\.size) == [1, 2])
            #expect(try await eventually { try await fixture.depth("parking") == 2 })
            let result = try await fixture.letters.run.parked(
                .replay, reason: "rejected", why: nil, rate: nil, until: Shutdown())
            #expect(result.messages == 1)
            #expect(try await fixture.drain("downstream.default").map(\.messageID) == ["p-2"])
            #expect(try await fixture.comes("parking", to: 1))
            #expect(try await fixture.comes("dead.index", to: 0))
            _ = try await fixture.letters.run.parked(.replay, reason: nil, why: nil, rate: nil, until: Shutdown())
            #expect(try await fixture.drain("dead.index").map(\.messageID) == ["p-1"])
        }
    }
}
