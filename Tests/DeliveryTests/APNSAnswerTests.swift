import Delivery
import Testing

struct APNSAnswerTests {
    struct Row: Sendable, CustomTestStringConvertible {
        var status: Int
        var reason: String?
        var timestamp: Int64?
        var retryAfter: Int?
        var verdict: Verdict

        init(
            _ status: Int, _ reason: String?, _ verdict: Verdict, timestamp: Int64? = nil, retryAfter: Int? = nil
        ) {
            self.status = status
            self.reason = reason
            self.timestamp = timestamp
            self.retryAfter = retryAfter
            self.verdict = verdict
        }

        var testDescription: String { "\(status) \(reason ?? "without reason")" }
    }

    static let documented = [
        Row(200, nil, .accepted(id: nil)),
        Row(400, "BadCollapseId", .faultyRequest),
        Row(400, "BadDeviceToken", .tokenSuspect),
        Row(400, "BadExpirationDate", .faultyRequest),
        Row(400, "BadMessageId", .faultyRequest),
        Row(400, "BadPriority", .faultyRequest),
        Row(400, "BadTopic", .pauseRoute(.route)),
        Row(400, "DeviceTokenNotForTopic", .tokenSuspect),
        Row(400, "DuplicateHeaders", .faultyRequest),
        Row(400, "IdleTimeout", .retryNow(thenPause: false)),
        Row(400, "InvalidPushType", .faultyRequest),
        Row(400, "MissingDeviceToken", .faultyRequest),
        Row(400, "MissingTopic", .pauseRoute(.route)),
        Row(400, "PayloadEmpty", .faultyRequest),
        Row(400, "TopicDisallowed", .pauseRoute(.route)),
        Row(403, "BadCertificate", .pauseRoute(.credential)),
        Row(403, "BadCertificateEnvironment", .pauseRoute(.credential)),
        Row(403, "ExpiredProviderToken", .refreshCredentials),
        Row(403, "Forbidden", .pauseRoute(.credential)),
        Row(403, "InvalidProviderToken", .pauseRoute(.credential)),
        Row(403, "MissingProviderToken", .pauseRoute(.credential)),
        Row(403, "UnrelatedKeyIdInToken", .retryNow(thenPause: true)),
        Row(403, "BadEnvironmentKeyIdInToken", .pauseRoute(.credential)),
        Row(403, "BadEnvironmentKeyInToken", .pauseRoute(.credential)),
        Row(404, "BadPath", .faultyRequest),
        Row(405, "MethodNotAllowed", .faultyRequest),
        Row(410, "ExpiredToken", .tokenDead(since: 1_700_000_000_123), timestamp: 1_700_000_000_123),
        Row(410, "Unregistered", .tokenDead(since: 1_700_000_000_123), timestamp: 1_700_000_000_123),
        Row(413, "PayloadTooLarge", .faultyRequest),
        Row(429, "TooManyProviderTokenUpdates", .holdCredentials),
        Row(429, "TooManyRequests", .retryLater(after: nil, scope: .device)),
        Row(500, "InternalServerError", .retryLater(after: nil, scope: .entry)),
        Row(503, "ServiceUnavailable", .retryLater(after: 120, scope: .entry), retryAfter: 120),
        Row(503, "Shutdown", .retryNow(thenPause: false)),
    ]

    static let undocumented = [
        Row(410, nil, .tokenDead(since: 5), timestamp: 5),
        Row(410, "Unregistered", .tokenSuspect),
        Row(410, nil, .tokenSuspect),
        Row(400, "SomethingNew", .faultyRequest),
        Row(400, nil, .faultyRequest),
        Row(403, "SomethingNew", .faultyRequest),
        Row(418, nil, .faultyRequest),
        Row(429, "SomethingNew", .retryLater(after: 9, scope: .route), retryAfter: 9),
        Row(500, "SomethingNew", .retryLater(after: nil, scope: .entry)),
        Row(502, nil, .retryLater(after: nil, scope: .entry)),
        Row(504, nil, .retryLater(after: 30, scope: .entry), retryAfter: 30),
        Row(302, nil, .retryLater(after: nil, scope: .entry)),
        Row(204, nil, .ambiguous),
    ]

    @Test(arguments: documented)
    func `each documented reason has its verdict (fault 7)`(row: Row) {
        expect(row)
    }

    @Test(arguments: undocumented)
    func `what is not documented is judged by the class of its status (fault 29)`(row: Row) {
        expect(row)
    }

    private func expect(_ row: Row) {
        let answer = APNSAnswer(
            status: row.status, reason: row.reason, timestamp: row.timestamp, retryAfter: row.retryAfter)
        #expect(answer.judgement.verdict == row.verdict)
        #expect(answer.judgement.status == row.status)
    }

    @Test func `no unknown answer says anything about a token but a 410`() {
        for status in (100..<600) where status != 410 {
            switch APNSAnswer(status: status, reason: "Unheard").judgement.verdict {
            case .tokenDead, .tokenSuspect: Issue.record("status \(status) condemns a token")
            default: break
            }
        }
    }

    @Test func `an answer without a reason is named by its status`() {
        #expect(APNSAnswer(status: 502).judgement.reason == "status 502")
        #expect(APNSAnswer(status: 403, reason: "Forbidden").judgement.reason == "Forbidden")
    }
}
