import Delivery
import HTTP2
import Messages

/// The request of W2: this body, a bearer token, nothing else.
struct FCMRequest {
    let projectID: String

    /// `now` is epoch milliseconds.
    func request(
        for hint: Hint, token: String, accessToken: String, now: Int64, isDryRun: Bool = false
    ) -> Request {
        let payload = FCMPayload(
            kind: hint.token.kind, token: token, hint: WorkHint(job: hint.job, documentType: hint.documentType),
            timeToLive: (hint.expiresAt - now) / 1000, isDryRun: isDryRun)
        return request(payload, accessToken: accessToken)
    }

    /// A message that is only validated, to a token that belongs to nobody: that FCM complains of the token proves the rest
    /// (B7).
    func probe(accessToken: String) -> Request {
        let hint = WorkHint(job: .random(), documentType: .receipt)
        let payload = FCMPayload(kind: .token, token: "probe", hint: hint, timeToLive: 1, isDryRun: true)
        return request(payload, accessToken: accessToken)
    }

    private func request(_ payload: FCMPayload, accessToken: String) -> Request {
        Request(
            path: "/v1/projects/\(projectID)/messages:send",
            headers: Headers([
                HeaderField("authorization", "Bearer \(accessToken)"), HeaderField("content-type", "application/json"),
            ]), body: payload.encoded())
    }
}
