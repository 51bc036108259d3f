import Delivery
import Testing

struct FCMAnswerTests {
    struct Row: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var answer: FCMAnswer
        var verdict: Verdict

        init(_ name: String, _ answer: FCMAnswer, _ verdict: Verdict) {
            testDescription = name
            self.answer = answer
            self.verdict = verdict
        }
    }

    static let documented = [
        Row("success", FCMAnswer(status: 200, name: "projects/p/messages/1"), .accepted(id: "projects/p/messages/1")),
        Row(
            "malformed token by its field",
            FCMAnswer(
                status: 400, errorCode: "INVALID_ARGUMENT", rpcStatus: "INVALID_ARGUMENT",
                message: "Invalid registration token", violatedFields: ["message.token"]),
            .tokenSuspect),
        Row(
            "malformed installation id by its field",
            FCMAnswer(
                status: 400, errorCode: "INVALID_ARGUMENT", rpcStatus: "INVALID_ARGUMENT",
                violatedFields: ["message.fid"]),
            .tokenSuspect),
        Row(
            "malformed token by its message",
            FCMAnswer(
                status: 400, errorCode: "INVALID_ARGUMENT", rpcStatus: "INVALID_ARGUMENT",
                message: "The registration token is not a valid FCM registration token"),
            .tokenSuspect),
        Row(
            "another field",
            FCMAnswer(
                status: 400, errorCode: "INVALID_ARGUMENT", rpcStatus: "INVALID_ARGUMENT",
                violatedFields: ["message.android.ttl"]),
            .faultyRequest),
        Row(
            "token and another field",
            FCMAnswer(
                status: 400, rpcStatus: "INVALID_ARGUMENT", violatedFields: ["message.token", "message.data[0].value"]),
            .faultyRequest),
        Row("too large, without details", FCMAnswer(status: 400, rpcStatus: "INVALID_ARGUMENT"), .faultyRequest),
        Row(
            "unregistered", FCMAnswer(status: 404, errorCode: "UNREGISTERED", rpcStatus: "NOT_FOUND"),
            .tokenDead(since: nil)),
        Row("not found without FcmError", FCMAnswer(status: 404, rpcStatus: "NOT_FOUND"), .pauseRoute(.credential)),
        Row("404 as HTML", FCMAnswer(status: 404), .pauseRoute(.credential)),
        Row(
            "token of another project",
            FCMAnswer(status: 403, errorCode: "SENDER_ID_MISMATCH", rpcStatus: "PERMISSION_DENIED"), .tokenSuspect),
        Row(
            "API switched off or right missing", FCMAnswer(status: 403, rpcStatus: "PERMISSION_DENIED"),
            .pauseRoute(.credential)),
        Row("access token refused", FCMAnswer(status: 401, rpcStatus: "UNAUTHENTICATED"), .refreshCredentials),
        Row("401 as HTML", FCMAnswer(status: 401), .refreshCredentials),
        Row(
            "third party credential",
            FCMAnswer(status: 401, errorCode: "THIRD_PARTY_AUTH_ERROR", rpcStatus: "UNAUTHENTICATED"),
            .pauseRoute(.credential)),
        Row(
            "project quota",
            FCMAnswer(
                status: 429, errorCode: "QUOTA_EXCEEDED", rpcStatus: "RESOURCE_EXHAUSTED",
                quotas: ["project:123 Message rate exceeded"], retryAfter: 90),
            .retryLater(after: 90, scope: .route)),
        Row(
            "device quota",
            FCMAnswer(
                status: 429, errorCode: "QUOTA_EXCEEDED", rpcStatus: "RESOURCE_EXHAUSTED",
                quotas: ["Device message rate exceeded"]),
            .retryLater(after: nil, scope: .device)),
        Row("quota as the bare status", FCMAnswer(status: 429), .retryLater(after: nil, scope: .route)),
        Row(
            "internal", FCMAnswer(status: 500, errorCode: "INTERNAL", rpcStatus: "INTERNAL"),
            .retryLater(after: nil, scope: .entry)),
        Row(
            "unavailable", FCMAnswer(status: 503, errorCode: "UNAVAILABLE", rpcStatus: "UNAVAILABLE", retryAfter: 20),
            .retryLater(after: 20, scope: .entry)),
        Row(
            "device quota without FcmError",
            FCMAnswer(status: 429, rpcStatus: "RESOURCE_EXHAUSTED", quotas: ["Device message rate exceeded"]),
            .retryLater(after: nil, scope: .device)),
        Row(
            "internal without FcmError", FCMAnswer(status: 500, rpcStatus: "INTERNAL", quotas: ["project:1"]),
            .retryLater(after: nil, scope: .entry)),
        Row(
            "unavailable without FcmError", FCMAnswer(status: 503, rpcStatus: "UNAVAILABLE"),
            .retryLater(after: nil, scope: .entry)),
        Row(
            "a code of no table counts by its status alone",
            FCMAnswer(status: 403, errorCode: "SOMETHING_NEW", rpcStatus: "PERMISSION_DENIED"), .faultyRequest),
        Row("502 as HTML", FCMAnswer(status: 502, retryAfter: 30), .retryLater(after: 30, scope: .entry)),
        Row("504 as HTML", FCMAnswer(status: 504), .retryLater(after: nil, scope: .entry)),
        Row(
            "unspecified, 4xx", FCMAnswer(status: 400, errorCode: "UNSPECIFIED_ERROR", rpcStatus: "INVALID_ARGUMENT"),
            .faultyRequest),
        Row(
            "unspecified, 5xx", FCMAnswer(status: 500, errorCode: "UNSPECIFIED_ERROR", rpcStatus: "INTERNAL"),
            .retryLater(after: nil, scope: .entry)),
        Row("a success that names nothing", FCMAnswer(status: 200), .ambiguous),
        Row("a status of no table", FCMAnswer(status: 418), .faultyRequest),
        Row(
            "the code counts before the status", FCMAnswer(status: 400, errorCode: "UNREGISTERED"),
            .tokenDead(since: nil)),
    ]

    @Test(arguments: documented)
    func `each row of the table has its verdict (faults 7, 31)`(row: Row) {
        #expect(row.answer.judgement.verdict == row.verdict)
        #expect(row.answer.judgement.status == row.answer.status)
    }

    @Test func `only FcmError or a named field says anything about a token (faults 8, 9)`() {
        for status in 100..<600 {
            for word in [nil, "NOT_FOUND", "PERMISSION_DENIED", "INVALID_ARGUMENT"] as [String?] {
                switch FCMAnswer(status: status, rpcStatus: word).judgement.verdict {
                case .tokenDead, .tokenSuspect: Issue.record("\(status) \(word ?? "") condemns a token")
                default: break
                }
            }
        }
    }

    @Test func `the reason is the most precise word there is`() {
        #expect(
            FCMAnswer(status: 404, errorCode: "UNREGISTERED", rpcStatus: "NOT_FOUND").judgement.reason == "UNREGISTERED"
        )
        #expect(FCMAnswer(status: 404, rpcStatus: "NOT_FOUND").judgement.reason == "NOT_FOUND")
        #expect(FCMAnswer(status: 502).judgement.reason == "status 502")
    }
}
