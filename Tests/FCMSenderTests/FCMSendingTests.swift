import AMQP
import Daemon
import Delivery
import HTTP2
import Messages
import Sending
import TestSupport
import Testing
import TokenSigning

@testable import FCMSender

@Suite(.timeLimit(.minutes(2)))
struct FCMSendingTests {
    @Test func `an accepted hint is one message, one outcome, and leaves the queue`() async throws {
        try await FCMRig.run(answer: { _ in .accepted }) { (rig) async throws in
            let hint = rig.hint(kind: .fid, token: "installation")
            try await rig.broker.publish(hint)
            let outcome = try #require(try await rig.broker.outcomes(1).first)
            #expect(outcome.kind == .accepted)
            #expect(outcome.entry == hint.entry)
            #expect(outcome.providerID == "projects/cheqi-prod/messages/7")
            let request = try #require(rig.requests.first)
            #expect(request.path == "/v1/projects/cheqi-prod/messages:send")
            #expect(request.fields["authorization"] == "Bearer access-1")
            #expect(request.text.contains(#""fid":"installation""#))
            #expect(request.text.contains(hint.job.description))
            #expect(rig.requests.count == 1)
        }
    }

    @Test func `the access token is asked for with an assertion of the service account`() async throws {
        try await FCMRig.run(answer: { _ in .accepted }) { (rig) async throws in
            try await rig.broker.publish(rig.hint())
            _ = try await rig.broker.outcomes(1)
            let form = try #require(rig.tokenRequests.first).text
            let prefix = "grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Ajwt-bearer&assertion="
            #expect(form.hasPrefix(prefix))
            let verified = try JSONWebToken.verified(String(form.dropFirst(prefix.count)), with: rig.key.publicKey)
            #expect(verified.keyID == "k1")
            let claims: ServiceAccountClaims = try verified.decoded()
            #expect(claims.iss == "sender@cheqi")
            #expect(claims.exp == claims.iat + 3600)
            #expect(rig.tokenRequests.count == 1)
        }
    }

    struct Case: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var reply: Reply
        var kind: OutcomeKind
        var reason: String
        var retryAfter: Int?
        var scope: DeferralScope?
    }

    static let cases = [
        Case(
            testDescription: "an unregistered token", reply: .fcm(404, "NOT_FOUND", code: "UNREGISTERED"),
            kind: .tokenDead, reason: "UNREGISTERED"),
        Case(
            testDescription: "a malformed token", reply: .fcm(400, "INVALID_ARGUMENT", field: "message.token"),
            kind: .tokenSuspect, reason: "INVALID_ARGUMENT"),
        Case(
            testDescription: "a token of another project",
            reply: .fcm(403, "PERMISSION_DENIED", code: "SENDER_ID_MISMATCH"), kind: .tokenSuspect,
            reason: "SENDER_ID_MISMATCH"),
        Case(
            testDescription: "a quota",
            reply: .fcm(429, "RESOURCE_EXHAUSTED", code: "QUOTA_EXCEEDED", headers: ["retry-after": "90"]),
            kind: .deferred, reason: "QUOTA_EXCEEDED", retryAfter: 90, scope: .route),
        Case(
            testDescription: "an overload", reply: .fcm(503, "UNAVAILABLE", code: "UNAVAILABLE"), kind: .deferred,
            reason: "UNAVAILABLE", scope: .entry),
        Case(
            testDescription: "an HTML page", reply: .json(502, "<html>", headers: ["retry-after": "30"]),
            kind: .deferred, reason: "status 502", retryAfter: 30, scope: .entry),
        Case(
            testDescription: "a wrong project", reply: .fcm(404, "NOT_FOUND"), kind: .returnedPaused,
            reason: "NOT_FOUND"),
    ]

    @Test(arguments: cases)
    func `each answer becomes its outcome (fault 31)`(each: Case) async throws {
        try await FCMRig.run({ $0.pauseFirst = .seconds(60) }, answer: { _ in each.reply }) { (rig) async throws in
            try await rig.broker.publish(rig.hint())
            let outcome = try #require(try await rig.broker.outcomes(1).first)
            #expect(outcome.kind == each.kind)
            #expect(outcome.reason == each.reason)
            #expect(outcome.retryAfter == each.retryAfter)
            #expect(outcome.scope == each.scope)
            #expect(rig.requests.count == 1)
        }
    }

    @Test func `a refused service account pauses and resumes once it is mended`() async throws {
        let mending = Shutdown()
        let endpoint: @Sendable (Int) -> Reply = { _ in
            mending.isRequested ? .token("mended") : .json(400, #"{"error":"invalid_grant"}"#)
        }
        try await FCMRig.run(endpoint: endpoint, answer: { _ in .accepted }) { (rig) async throws in
            try await rig.broker.publish(rig.hint())
            let first = try #require(try await rig.broker.outcomes(1).first)
            #expect(first.kind == .returnedPaused)
            #expect(first.pause == "invalid_grant")
            #expect(rig.requests.isEmpty)
            mending.request()
            try await rig.broker.publish(rig.hint())
            let second = try #require(try await rig.broker.outcomes(2).last)
            #expect(second.kind == .accepted)
            #expect(second.probe)
            #expect(rig.probes >= 1)
        }
    }

    @Test func `an endpoint that is down returns hints unprocessed, without a word about the account`() async throws {
        try await FCMRig.run(endpoint: { _ in .json(503, "<html>") }, answer: { _ in .accepted }) {
            (rig) async throws in
            try await rig.broker.publish(rig.hint())
            let outcome = try #require(try await rig.broker.outcomes(1).first)
            #expect(outcome.kind == .returnedUnprocessed)
            #expect(rig.requests.isEmpty)
        }
    }

    @Test func `a rotated service account key is used without a restart, and no hint is lost`() async throws {
        try await FCMRig.run({ $0.credentialCheck = .milliseconds(20) }, answer: { _ in .accepted }) {
            (rig) async throws in
            try await rig.broker.publish(rig.hint())
            #expect(try await rig.broker.kinds(1) == [.accepted])
            let next = try rig.rotateKey()
            #expect(try await eventually { rig.tokenRequests.count == 2 })
            let assertion = try #require(rig.tokenRequests.last?.text.split(separator: "&assertion=").last)
            #expect(try JSONWebToken.verified(String(assertion), with: next.publicKey).keyID == "k2")
            #expect(
                try await eventually {
                    try await rig.broker.publish(rig.hint())
                    return rig.requests.last?.fields["authorization"] == "Bearer access-2"
                })
            #expect(Set(rig.broker.outcomes.map(\.kind)) == [.accepted])
        }
    }

    @Test func `the old access token serves while the endpoint fails`() async throws {
        try await FCMRig.run(
            { $0.credentialCheck = .milliseconds(20) },
            endpoint: { $0 == 1 ? .token("access-1") : .json(503, "<html>") }, answer: { _ in .accepted }
        ) { (rig) async throws in
            try await rig.broker.publish(rig.hint())
            #expect(try await rig.broker.kinds(1) == [.accepted])
            _ = try rig.rotateKey()
            #expect(try await eventually { rig.tokenRequests.count >= 2 })
            try await rig.broker.publish(rig.hint())
            #expect(try await rig.broker.kinds(2) == [.accepted, .accepted])
            #expect(rig.requests.last?.fields["authorization"] == "Bearer access-1")
        }
    }
}
