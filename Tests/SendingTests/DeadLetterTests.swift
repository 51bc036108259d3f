import AMQP
import Delivery
import Messages
import Testing

@testable import Sending

struct DeadLetterTests {
    private let route = Route(provider: .apns, environment: "production", app: "cheqi")

    private func letter(of hint: Hint) -> AMQP.Message {
        let message = AMQP.Delivery(
            tag: 1, exchange: "hints", routingKey: route.queue, messageID: hint.entry.description, type: "hint.v1",
            headers: ["md-seq": 4, "traceparent": "00-1-2-01", "x-delivery-count": 2, "x-death": .array([])],
            body: hint.encoded())
        return .deadLetter(of: message, route: route, reason: "faulty_request", status: 413, now: 5_000)
    }

    @Test func `it keeps id, type and body and goes to the provider's dead queue`() {
        let hint = Hint.sample()
        let letter = letter(of: hint)
        #expect(letter.exchange == "dead")
        #expect(letter.routingKey == "hints.apns.dead")
        #expect(letter.messageID == hint.entry.description)
        #expect(letter.type == "hint.v1")
        #expect(letter.body == hint.encoded())
        #expect(letter.timestamp == 5)
    }

    @Test func `its headers say why, when and from where, and nothing of the broker's own is copied`() {
        let hint = Hint.sample(seq: 9, life: 3)
        #expect(
            letter(of: hint).headers == [
                "md-reason": "faulty_request", "md-status": 413, "md-failures": 1, "md-first-failed": 5000,
                "md-last-failed": 5000, "md-exchange": "hints", "md-key": .string(route.queue), "md-seq": 9,
                "md-life": 3, "traceparent": "00-1-2-01",
            ])
    }
}
