import Delivery
import HTTP2
import Messages
import Testing

@testable import APNSSender

struct APNSRequestTests {
    private let template = APNSRequest(
        topic: "nl.cheqi.app", category: "RECEIPT_AVAILABLE",
        alerts: [
            .receipt: APNSPayload.Alert(titleKey: "receipt.title", bodyKey: "receipt.body"),
            .creditNote: APNSPayload.Alert(titleKey: "note.title", bodyKey: "note.body"),
        ])

    private func hint(_ type: DocumentType = .receipt) -> Hint {
        Hint(
            entry: Identifier("018f6a3e-0000-7000-8000-0000000000aa")!, seq: 1, life: 1, publishedAt: 0, deadline: 0,
            job: Identifier("9b2f7a10-1111-4222-8333-444455556666")!, documentType: type,
            route: Route(provider: .apns, environment: "production", app: "cheqi"), device: .random(),
            token: Hint.SealedToken(kind: .token, sealed: [], key: "k"),
            fingerprint: Fingerprint(bytes: [UInt8](repeating: 0, count: 32))!, registeredAt: 0,
            expiresAt: 1_700_000_000_999)
    }

    private func made(_ type: DocumentType = .receipt, token: String = "00ffAB", now: Int64 = 0) -> Request? {
        template.request(for: hint(type), token: token, providerToken: "JWT", now: now)
    }

    @Test func `the headers are those of W1 and no others (fault 48)`() throws {
        let request = try #require(made())
        #expect(request.method == "POST")
        #expect(request.path == "/3/device/00ffAB")
        #expect(
            request.headers.map { "\($0.name): \($0.value)" }.sorted() == [
                "apns-collapse-id: 9b2f7a10-1111-4222-8333-444455556666", "apns-expiration: 1700000000",
                "apns-id: 018f6a3e-0000-7000-8000-0000000000aa", "apns-priority: 10", "apns-push-type: alert",
                "apns-topic: nl.cheqi.app", "authorization: bearer JWT",
            ])
    }

    @Test(arguments: zip([DocumentType.receipt, .creditNote], ["receipt", "note"]))
    func `the body holds the alert's keys and the four fields`(type: DocumentType, prefix: String) throws {
        let body = String(decoding: try #require(made(type)).body, as: UTF8.self)
        #expect(
            body
                == #"{"aps":{"alert":{"title-loc-key":"\#(prefix).title","loc-key":"\#(prefix).body"},"content-available":1,"sound":"default","category":"RECEIPT_AVAILABLE"},"eventType":"RECEIPT_GENERATION_AVAILABLE","eventVersion":1,"jobId":"9b2f7a10-1111-4222-8333-444455556666","documentType":"\#(type.rawValue)"}"#
        )
    }

    @Test func `an expiry that has passed becomes the next second, never 0`() throws {
        let headers = try #require(made(now: 1_700_000_005_000)).headers
        #expect(headers["apns-expiration"] == "1700000006")
    }

    @Test(arguments: ["", "xyz", "../../1", "0", "00 ff", String(repeating: "a", count: 402)])
    func `a token that could change the path makes no request`(token: String) {
        #expect(made(token: token) == nil)
    }

    @Test func `tokens of any length are sent`() {
        for length in [2, 64, 160, 400] { #expect(made(token: String(repeating: "a", count: length)) != nil) }
    }
}
