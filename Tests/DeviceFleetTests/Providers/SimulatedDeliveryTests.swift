import Messages
import Testing

@testable import DeviceFleet

@Suite struct SimulatedDeliveryTests {
    @Test func `a delivery brings its payload to the token's phone`() throws {
        let line = #"{"number":3,"at":1,"provider":"fcm","token":"t","kind":"message","payload":{"b":"1","a":"2"}}"#
        let delivery = try SimulatedDelivery(line: Array(line.utf8))
        #expect(delivery.number == 3 && delivery.token == "t")
        guard case .hint(let payload) = delivery.stimulus else {
            Issue.record("no hint")
            return
        }
        #expect(String(decoding: payload, as: UTF8.self) == #"{"a":"2","b":"1"}"#)
    }

    @Test func `deleted messages are another thing than a message`() throws {
        let line = #"{"number":4,"token":"t","kind":"deletedMessages"}"#
        guard case .deletedMessages = try SimulatedDelivery(line: Array(line.utf8)).stimulus else {
            Issue.record("not deleted messages")
            return
        }
    }

    @Test(arguments: ["", "{}", #"{"number":"1","token":"t"}"#])
    func `anything else is an error, not a crash`(line: String) {
        #expect(throws: MessageError.self) { try SimulatedDelivery(line: Array(line.utf8)) }
    }
}
