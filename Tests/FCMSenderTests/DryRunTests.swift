import Daemon
import Delivery
import HTTP2
import Messages
import Sending
import TestSupport
import Testing

@testable import FCMSender

/// `fcm-sender --dry-run` (B7).
@Suite(.timeLimit(.minutes(2)))
struct DryRunTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let answer: Reply
        let finding: String
    }

    static let cases = [
        Case(testDescription: "taken", answer: .accepted, finding: "fit"),
        Case(
            testDescription: "an unregistered token", answer: .fcm(404, "NOT_FOUND", code: "UNREGISTERED"),
            finding: "UNREGISTERED"),
        Case(
            testDescription: "another sender's token",
            answer: .fcm(403, "PERMISSION_DENIED", code: "SENDER_ID_MISMATCH"),
            finding: "SENDER_ID_MISMATCH"),
    ]

    @Test(arguments: cases)
    func `a hint is only validated, counted and given back, whatever FCM says`(each: Case) async throws {
        try await FCMRig.run({ $0.isDryRun = true }, probe: { each.answer }, answer: { _ in .accepted }) { rig in
            try await rig.broker.publish(rig.hint())
            let outcome = try #require(try await rig.broker.outcomes(1).first)
            #expect(outcome.kind == .returnedUnprocessed && outcome.retryAfter == 60)
            #expect(
                rig.metrics.exposition().contains(
                    "mobile_delivery_sender_rehearsed_total{finding=\"\(each.finding)\",route=\"\(FCMRig.route)\"} 1"))
            #expect(rig.requests.isEmpty)
        }
    }
}
