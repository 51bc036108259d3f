import AMQP
import Delivery
import Messages
import Testing

@testable import AckRecorder

struct DeadLetterTests {
    private let entry = Identifier.random()

    @Test func `the writer's headers say why and where from`() {
        let letter = DeadLetter(
            AMQP.Delivery(
                tag: 1, exchange: "dead", routingKey: "hints.apns.dead", messageID: entry.description, type: "hint.v1",
                headers: [
                    "md-seq": 7, "md-reason": "faulty_request", "md-status": 400, "md-failures": 2,
                    "md-exchange": "hints", "md-key": "hints.apns.production.cheqi", "md-last-failed": 1000,
                    "traceparent": "00-a-b-01",
                ], body: [UInt8]("{".utf8)))
        #expect(letter.queue == "hints.apns.dead")
        #expect(letter.entry == entry)
        #expect(letter.seq == 7)
        #expect(letter.reason == "faulty_request")
        #expect(letter.status == 400)
        #expect(letter.failures == 2)
        #expect(letter.exchange == "hints")
        #expect(letter.routingKey == "hints.apns.production.cheqi")
        #expect(letter.lastFailed == 1000)
        #expect(letter.traceparent == "00-a-b-01")
        #expect(letter.job == nil)
    }

    @Test func `of the broker's dead letters the broker's headers say it`() {
        let death: HeaderValue = .table([
            "reason": "delivery_limit", "routing-keys": .array(["hints.fcm.cheqi"]), "time": .timestamp(1000),
        ])
        let letter = DeadLetter(
            AMQP.Delivery(
                tag: 1, exchange: "dead", routingKey: "hints.fcm.dead", messageID: entry.description, type: "hint.v1",
                headers: [
                    "md-seq": 3, "x-first-death-reason": "delivery_limit", "x-first-death-exchange": "hints",
                    "x-death": .array([death]),
                ]))
        #expect(letter.reason == "delivery_limit")
        #expect(letter.exchange == "hints")
        #expect(letter.routingKey == "hints.fcm.cheqi")
        #expect(letter.lastFailed == 1_000_000)
        #expect(letter.seq == 3)
    }

    @Test func `job and device come from a body that can be read`() {
        let hint = DeadHint(
            entry: entry, seq: 2, life: 1, job: .random(), device: .random(), route: Scene.apns, reason: "token",
            status: 410, failures: 0)
        let letter = DeadLetter(
            AMQP.Delivery(
                tag: 1, exchange: "dead", routingKey: "hints.apns.dead", messageID: entry.description,
                type: "hint.dead.v1", headers: ["md-seq": 2], body: hint.encoded()))
        #expect(letter.job == hint.job)
        #expect(letter.device == hint.device)
        #expect(letter.entry == entry)
    }

    @Test func `anything else is counted by its replays and ends no entry`() {
        let letter = DeadLetter(
            AMQP.Delivery(
                tag: 1, exchange: "dead", routingKey: "recorder.dead", messageID: entry.description, type: "ack.v1",
                headers: ["md-seq": 9, "md-replay": 2]))
        #expect(letter.seq == 2)
        #expect(letter.entry == nil)
    }

    @Test func `a message without anything is indexed all the same`() {
        let letter = DeadLetter(AMQP.Delivery(tag: 1, exchange: "dead", routingKey: "coordinator.dead"))
        #expect(letter.reason == "unspecified")
        #expect(letter.messageID == "")
        #expect(letter.type == nil)
    }
}
