import AMQP
import Daemon
import Delivery
import HTTP2
import Messages
import Sending
import Synchronization
import TestSupport
import Testing

@testable import APNSSender

/// What the scripted provider says next; the last answer repeats.
private final class Script: Sendable {
    private let replies: Mutex<[Reply]>
    init(_ replies: [Reply]) { self.replies = Mutex(replies) }
    func next() -> Reply { replies.withLock { $0.count > 1 ? $0.removeFirst() : $0[0] } }
}

@Suite(.timeLimit(.minutes(2)))
struct PausingTests {
    @Test func `a refused key pauses every route of it and sending resumes by itself`() async throws {
        let script = Script([.apns(403, "InvalidProviderToken"), .accepted])
        try await APNSRig.run({ $0.pauseFirst = .milliseconds(600) }, answer: { _ in script.next() }) {
            (rig) async throws in
            try await rig.broker.publish(rig.hint())
            let first = try #require(try await rig.broker.outcomes(1).first)
            #expect(first.kind == .returnedPaused)
            #expect(first.pause == "InvalidProviderToken")
            #expect(!first.probe)
            #expect(try await rig.broker.comes(to: 0, consumersOf: APNSRig.route))
            #expect(try await rig.broker.comes(to: 0, consumersOf: APNSRig.other))

            // Waits in the queue until the credential has been found good.
            try await rig.broker.publish(rig.hint())
            let second = try #require(try await rig.broker.outcomes(2).last)
            #expect(second.kind == .accepted)
            #expect(second.probe)
            #expect(rig.probes >= 1)
            try await rig.broker.publish(rig.hint())
            #expect(try await rig.broker.outcomes(3).last?.probe == false)
        }
    }

    @Test func `a probe that meets the fault again is returned and the pause goes on`() async throws {
        let script = Script([.apns(400, "BadTopic"), .apns(400, "BadTopic"), .accepted])
        try await APNSRig.run(answer: { _ in script.next() }) { (rig) async throws in
            for _ in 0..<3 { try await rig.broker.publish(rig.hint()) }
            let outcomes = try await rig.broker.outcomes(3)
            #expect(outcomes.contains { $0.kind == .returnedPaused && $0.probe })
            #expect(outcomes.allSatisfy { $0.kind == .returnedPaused || $0.kind == .accepted })
            #expect(rig.broker.deadLetters.isEmpty)
        }
    }

    @Test func `a topic's fault leaves the other app's hints undisturbed (fault 34)`() async throws {
        try await APNSRig.run(
            { $0.pauseFirst = .seconds(60) },
            answer: { _ in .apns(400, "TopicDisallowed") }
        ) { (rig) async throws in
            try await rig.broker.publish(rig.hint())
            _ = try await rig.broker.outcomes(1)
            #expect(try await rig.broker.comes(to: 0, consumersOf: APNSRig.route))
            #expect(try await rig.broker.consumers(APNSRig.other) == 1)
        }
    }

    @Test func `one faulty request is buried and the next pauses the route`() async throws {
        try await APNSRig.run(
            { $0.pauseFirst = .seconds(60) },
            answer: { _ in .apns(413, "PayloadTooLarge") }
        ) { (rig) async throws in
            let first = rig.hint(seq: 4)
            try await rig.broker.publish(first)
            let letter = try #require(try await rig.broker.deadLetters(1).first)
            #expect(letter.messageID == first.entry.description)
            #expect(letter.headers["md-reason"]?.string == "faulty_request")
            #expect(letter.headers["md-status"]?.integer == 413)
            #expect(letter.headers["md-seq"]?.integer == 4)
            try await rig.broker.publish(rig.hint())
            let outcome = try #require(try await rig.broker.outcomes(1).first)
            #expect(outcome.kind == .returnedPaused)
            #expect(outcome.pause == "PayloadTooLarge")
            #expect(rig.broker.deadLetters.count == 1)
        }
    }

    @Test func `an expired provider token younger than twenty minutes is not replaced but pauses (fault 28)`()
        async throws
    {
        try await APNSRig.run(
            { $0.pauseFirst = .seconds(60) },
            answer: { _ in .apns(403, "ExpiredProviderToken") }
        ) { (rig) async throws in
            try await rig.broker.publish(rig.hint())
            let outcome = try #require(try await rig.broker.outcomes(1).first)
            #expect(outcome.kind == .returnedPaused)
            #expect(rig.requests.count == 2)
            #expect(Set(rig.requests.map { $0.fields["authorization"] }).count == 1)
        }
    }

    @Test func `a mass of bad tokens trips the brake and every one of them is reported (fault 6)`() async throws {
        try await APNSRig.run(
            {
                $0.pauseFirst = .seconds(60)
                $0.brakeSuspicions = 5
            }, answer: { _ in .apns(400, "BadDeviceToken") }
        ) { (rig) async throws in
            for _ in 0..<40 { try await rig.broker.publish(rig.hint()) }
            // First the suspicions that trip it: a sender that has not begun has no consumer either.
            _ = try await rig.broker.outcomes(5)
            #expect(try await rig.broker.comes(to: 0, consumersOf: APNSRig.route))
            let outcomes = rig.broker.outcomes
            #expect(outcomes.count { $0.kind == .tokenSuspect } >= 5)
            #expect(outcomes.allSatisfy { $0.kind == .tokenSuspect || $0.kind == .returnedPaused })
            #expect(rig.broker.deadLetters.isEmpty)
        }
    }

    @Test func `a hint from the future stops the process for its clock`() async throws {
        try await APNSRig.run({ $0.pauseFirst = .seconds(60) }, answer: { _ in .accepted }) { (rig) async throws in
            #expect(try await eventually { rig.readiness.isReady })
            let now = Instant.now()
            try await rig.broker.publish(rig.hint(publishedAt: now + 60_000, deadline: now + 180_000))
            let outcome = try #require(try await rig.broker.outcomes(1).first)
            #expect(outcome.kind == .returnedPaused)
            #expect(outcome.pause == "clock")
            #expect(rig.readiness.missing.values.contains("clock"))
            #expect(rig.requests.isEmpty)
        }
    }
}
