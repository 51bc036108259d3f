import AMQP
import Delivery
import Messages
import Testing

@testable import Sending

struct IntakeTests {
    private let route = Route(provider: .apns, environment: "production", app: "cheqi")

    private func intake(_ body: [UInt8]) -> Intake { Intake(AMQP.Delivery(tag: 1, body: body), route: route) }

    @Test func `a hint of the route is taken`() {
        let hint = Hint.sample()
        #expect(intake(hint.encoded()) == .hint(hint))
    }

    @Test(arguments: ["", "nonsense", "{}", #"{"version":1}"#, "[]"])
    func `what is no hint is malformed`(text: String) {
        guard case .dead("malformed", _) = intake(Array(text.utf8)) else {
            Issue.record("taken as \(intake(Array(text.utf8)))")
            return
        }
    }

    @Test func `an unknown version is named`() {
        #expect(intake(Array(#"{"version":2}"#.utf8)) == .dead(reason: "unknown_version", detail: "version 2"))
    }

    @Test func `a hint of another route is malformed`() {
        let other = Hint.sample(route: Route(provider: .apns, environment: "sandbox", app: "cheqi"))
        guard case .dead("malformed", _) = intake(other.encoded()) else {
            Issue.record("taken")
            return
        }
    }
}
