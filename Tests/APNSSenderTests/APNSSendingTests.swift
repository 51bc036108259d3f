import AMQP
import Daemon
import Delivery
import HTTP2
import Messages
import Sending
import TestSupport
import Testing

@testable import APNSSender

@Suite(.timeLimit(.minutes(2)))
struct APNSSendingTests {
    @Test func `an accepted hint is one request, one outcome, and leaves the queue (fault 42)`() async throws {
        try await APNSRig.run(answer: { _ in .accepted }) { (rig) async throws in
            let hint = rig.hint(token: "00ffab")
            try await rig.broker.publish(hint)
            let outcome = try #require(try await rig.broker.outcomes(1).first)
            #expect(outcome.kind == .accepted)
            #expect(outcome.entry == hint.entry)
            #expect(outcome.providerID == hint.entry.description)
            #expect(outcome.fingerprint == hint.fingerprint)
            #expect(!outcome.redelivered)
            let request = try #require(rig.requests.first)
            #expect(request.path == "/3/device/00ffab")
            #expect(request.fields["apns-id"] == hint.entry.description)
            #expect(request.fields["apns-collapse-id"] == hint.job.description)
            #expect(request.fields["apns-expiration"] == String(hint.expiresAt / 1000))
            #expect(rig.requests.count == 1)
        }
    }

    struct Case: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var reply: Reply
        var kind: OutcomeKind
        var reason: String
        var retryAfter: Int?
        var scope: DeferralScope?
        var providerTime: Int64?
    }

    static let cases = [
        Case(
            testDescription: "a 410 with its time", reply: .apns(410, "Unregistered", timestamp: 1_700_000_000_000),
            kind: .tokenDead, reason: "Unregistered", providerTime: 1_700_000_000_000),
        Case(
            testDescription: "a bad token", reply: .apns(400, "BadDeviceToken"), kind: .tokenSuspect,
            reason: "BadDeviceToken"),
        Case(
            testDescription: "a fault of Apple's", reply: .apns(500, "InternalServerError"), kind: .deferred,
            reason: "InternalServerError", scope: .entry),
        Case(
            testDescription: "an HTML page of a proxy",
            reply: .answer(Response(status: 502, body: Array("<html>".utf8))), kind: .deferred, reason: "status 502",
            scope: .entry),
        Case(
            testDescription: "too many for one device",
            reply: .apns(429, "TooManyRequests", headers: ["retry-after": "77"]), kind: .deferred,
            reason: "TooManyRequests", retryAfter: 77, scope: .device),
        Case(
            testDescription: "a reset stream", reply: .reset(.internalError), kind: .ambiguous, reason: "reset"),
        Case(
            testDescription: "too many provider tokens", reply: .apns(429, "TooManyProviderTokenUpdates"),
            kind: .returnedUnprocessed, reason: "TooManyProviderTokenUpdates", retryAfter: 60),
    ]

    @Test(arguments: cases)
    func `each answer becomes its outcome`(each: Case) async throws {
        try await APNSRig.run(answer: { _ in each.reply }) { (rig) async throws in
            try await rig.broker.publish(rig.hint())
            let outcome = try #require(try await rig.broker.outcomes(1).first)
            #expect(outcome.kind == each.kind)
            #expect(outcome.reason == each.reason)
            #expect(outcome.retryAfter == each.retryAfter)
            #expect(outcome.scope == each.scope)
            #expect(outcome.providerTime == each.providerTime)
            #expect(rig.requests.count == 1)
        }
    }

    @Test func `silence becomes ambiguous at the request's timeout (faults 2, 38, 50)`() async throws {
        try await APNSRig.run({ $0.requestTimeout = .milliseconds(300) }, answer: { _ in .never }) {
            (rig) async throws in
            try await rig.broker.publish(rig.hint())
            let outcome = try #require(try await rig.broker.outcomes(1).first)
            #expect(outcome.kind == .ambiguous)
            #expect(outcome.reason == "timeout")
        }
    }

    @Test func `a stream above a GOAWAY's last id is sent again on another connection (fault 15)`() async throws {
        let answer: @Sendable (ReceivedRequest) -> Reply = { request in
            guard request.connection == 1 else { return .accepted }
            return .later { await $0.goAway(lastStream: 0) }
        }
        try await APNSRig.run(answer: answer) { (rig) async throws in
            try await rig.broker.publish(rig.hint())
            let kinds = try await rig.broker.kinds(1)
            #expect(kinds == [.accepted])
            #expect(rig.requests.map(\.connection) == [1, 2])
        }
    }

    @Test func `a refused stream is tried three times and then returned (faults 25, 49)`() async throws {
        try await APNSRig.run(answer: { _ in .reset(.refusedStream) }) { (rig) async throws in
            try await rig.broker.publish(rig.hint())
            let outcome = try #require(try await rig.broker.outcomes(1).first)
            #expect(outcome.kind == .returnedUnprocessed)
            #expect(outcome.reason == "refused stream")
            #expect(rig.requests.count == 3)
            #expect(Set(rig.requests.map(\.body)).count == 1)
            #expect(Set(rig.requests.map(\.path)).count == 1)
            #expect(Set(rig.requests.map { $0.fields["apns-id"] }).count == 1)
        }
    }

    @Test func `an unreachable provider returns the hints and pauses the process`() async throws {
        try await APNSRig.run({ $0.troubleLimit = 2 }, reachable: false, answer: { _ in .accepted }) {
            (rig) async throws in
            for _ in 0..<2 { try await rig.broker.publish(rig.hint()) }
            let outcomes = try await rig.broker.outcomes(2)
            #expect(outcomes.map(\.kind) == [.returnedUnprocessed, .returnedUnprocessed])
            #expect(try await eventually { !rig.readiness.isReady })
            #expect(try await rig.broker.comes(to: 0, consumersOf: APNSRig.other))
        }
    }

    @Test func `a malformed message becomes a dead letter and leaves the queue`() async throws {
        try await APNSRig.run(answer: { _ in .accepted }) { (rig) async throws in
            try await rig.broker.publish(Array("nonsense".utf8), route: APNSRig.route)
            try await rig.broker.publish(Array(#"{"version":9}"#.utf8), route: APNSRig.route)
            let letters = try await rig.broker.deadLetters(2)
            #expect(letters.map { $0.headers["md-reason"]?.string } == ["malformed", "unknown_version"])
            #expect(letters.first?.body == Array("nonsense".utf8))
            #expect(letters.first?.headers["md-key"]?.string == APNSRig.route.queue)
            #expect(rig.requests.isEmpty)
        }
    }

    @Test func `a hint too close to its deadline is returned without a request (fault 35)`() async throws {
        try await APNSRig.run(answer: { _ in .accepted }) { (rig) async throws in
            try await rig.broker.publish(rig.hint(deadline: Instant.now() + 19_000))
            let kinds = try await rig.broker.kinds(1)
            #expect(kinds == [.returnedLate])
            #expect(rig.requests.isEmpty)
        }
    }

    @Test func `a known entry and life is answered from memory with the seq just received (fault 38)`() async throws {
        try await APNSRig.run(answer: { _ in .accepted }) { (rig) async throws in
            let entry = Identifier.random()
            try await rig.broker.publish(rig.hint(entry: entry))
            #expect(try await rig.broker.outcomes(1).count == 1)
            try await rig.broker.publish(rig.hint(seq: 2, entry: entry))
            let outcome = try #require(try await rig.broker.outcomes(2).last)
            #expect(outcome.kind == .accepted)
            #expect(outcome.remembered)
            #expect(outcome.seq == 2)
            #expect(rig.requests.count == 1)
            try await rig.broker.publish(rig.hint(seq: 3, life: 2, entry: entry))
            #expect(try await rig.broker.outcomes(3).last?.remembered == false)
            #expect(rig.requests.count == 2)
        }
    }

    @Test func `what the provider did not accept is sent again when it comes again (fault 5)`() async throws {
        let answer: @Sendable (ReceivedRequest) -> Reply = { request in
            request.path.hasSuffix("aa") ? .reset(.internalError) : .apns(503, "ServiceUnavailable")
        }
        try await APNSRig.run(answer: answer) { (rig) async throws in
            for (token, kind) in [("00aa", OutcomeKind.ambiguous), ("00bb", .deferred)] {
                let entry = Identifier.random()
                let before = rig.requests.count
                for seq in 1...2 {
                    try await rig.broker.publish(rig.hint(token: token, seq: seq, entry: entry))
                    let outcome = try #require(try await rig.broker.outcomes(before + seq).last)
                    #expect(outcome.kind == kind)
                    #expect(outcome.seq == seq)
                }
                #expect(rig.requests.count == before + 2)
            }
        }
    }

    @Test func `hints by the thousand all come to an outcome`() async throws {
        try await APNSRig.run(answer: { _ in .accepted }) { (rig) async throws in
            let hints = (0..<1000).map { _ in rig.hint() }
            try await withThrowingTaskGroup { group in
                for hint in hints { group.addTask { try await rig.broker.publish(hint) } }
                try await group.waitForAll()
            }
            let outcomes = try await rig.broker.outcomes(1000)
            #expect(outcomes.count == 1000)
            #expect(Set(outcomes.map(\.entry)) == Set(hints.map(\.entry)))
            #expect(rig.requests.count == 1000)
        }
    }
}
