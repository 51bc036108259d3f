import Daemon
import Delivery
import HTTP2
import Messages
import Sending
import TestSupport
import Testing

@testable import APNSSender

/// `apns-sender --dry-run` (B7).
@Suite(.timeLimit(.minutes(2)))
struct DryRunTests {
    private func run(
        probe: @escaping @Sendable () -> Reply = { .apns(400, "BadDeviceToken") },
        _ body: (APNSRig) async throws -> Void
    ) async throws {
        try await APNSRig.run(
            {
                $0.isDryRun = true
                $0.dryRunReturn = .seconds(7)
            }, probe: probe, answer: { _ in .accepted }, body)
    }

    private func rehearsed(_ rig: APNSRig, _ finding: String) -> Bool {
        rig.metrics.exposition().contains(
            "mobile_delivery_sender_rehearsed_total{finding=\"\(finding)\",route=\"\(APNSRig.route)\"} 1")
    }

    @Test func `a hint is checked, counted and given back, and nobody is rung`() async throws {
        try await run { (rig) async throws in
            try await rig.broker.publish(rig.hint())
            let outcome = try #require(try await rig.broker.outcomes(1).first)
            #expect(outcome.kind == .returnedUnprocessed && outcome.retryAfter == 7 && outcome.reason == "dry run")
            #expect(rehearsed(rig, "fit"))
            #expect(rig.requests.isEmpty)
        }
    }

    @Test func `a token that APNs would refuse is counted and not suspected`() async throws {
        try await run { (rig) async throws in
            try await rig.broker.publish(rig.hint(token: "no-token"))
            #expect(try await rig.broker.kinds(1) == [.returnedUnprocessed])
            #expect(rehearsed(rig, "BadDeviceToken"))
        }
    }

    @Test(arguments: [
        ("BadDeviceToken", 400, 1), ("InvalidProviderToken", 403, 0), ("TopicDisallowed", 400, 0),
    ])
    func `the credential is proved by a request that rings nobody`(reason: String, status: Int, good: Int) async throws
    {
        try await run(probe: { .apns(status, reason) }) { (rig) async throws in
            let line = "mobile_delivery_sender_credential_good{route=\"\(APNSRig.route)\"} \(good)"
            #expect(try await eventually { rig.probes > 0 && rig.metrics.exposition().contains(line) })
            #expect(rig.requests.isEmpty)
        }
    }
}
