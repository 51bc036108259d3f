import Delivery
import HTTP2
import Messages
import Testing

@testable import FCMSender

struct FCMRequestTests {
    private let template = FCMRequest(projectID: "cheqi-prod")

    private func made(kind: TokenKind = .token, now: Int64) -> Request {
        let hint = Hint(
            entry: .random(), seq: 1, life: 1, publishedAt: 0, deadline: 0,
            job: Identifier("9b2f7a10-1111-4222-8333-444455556666")!, documentType: .creditNote,
            route: Route(provider: .fcm, environment: "", app: "cheqi"), device: .random(),
            token: Hint.SealedToken(kind: kind, sealed: [], key: "k"),
            fingerprint: Fingerprint(bytes: [UInt8](repeating: 0, count: 32))!, registeredAt: 0, expiresAt: 90_500)
        return template.request(for: hint, token: "T:1", accessToken: "A", now: now)
    }

    private func body(_ request: Request) -> String { String(decoding: request.body, as: UTF8.self) }

    @Test func `path and headers are those of HTTP v1`() {
        let request = made(now: 0)
        #expect(request.method == "POST")
        #expect(request.path == "/v1/projects/cheqi-prod/messages:send")
        #expect(
            request.headers.map { "\($0.name): \($0.value)" } == [
                "authorization: Bearer A", "content-type: application/json",
            ])
    }

    @Test func `the body is a data message with what is left of the job's life (fault 48)`() {
        #expect(
            body(made(now: 30_000))
                == #"{"message":{"token":"T:1","data":{"eventType":"RECEIPT_GENERATION_AVAILABLE","eventVersion":"1","jobId":"9b2f7a10-1111-4222-8333-444455556666","documentType":"CREDIT_NOTE"},"android":{"priority":"HIGH","ttl":"60s"}}}"#
        )
    }

    @Test func `an installation id travels as fid`() {
        #expect(body(made(kind: .fid, now: 0)).hasPrefix(#"{"message":{"fid":"T:1","#))
    }

    @Test func `a life that is over becomes one second`() {
        #expect(body(made(now: 99_000_000)).contains(#""ttl":"1s""#))
    }

    @Test func `the probe only validates`() {
        #expect(body(template.probe(accessToken: "A")).hasPrefix(#"{"validate_only":true,"message":{"token":"probe""#))
    }
}
