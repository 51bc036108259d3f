import HTTP2
import Testing

@testable import APNSSender

/// What a dry run says of a request, in APNs' words.
@Suite struct APNSRequestCheckTests {
    private static let now: Int64 = 1_700_000_000

    private static func sound() -> Request {
        Request(
            path: "/3/device/00ff",
            headers: [
                "authorization": "bearer token", "apns-topic": "nl.cheqi.app", "apns-push-type": "alert",
                "apns-priority": "10", "apns-expiration": "\(now + 60)",
                "apns-id": "6f9619ff-8b86-4011-b42d-00c04fc964ff",
                "apns-collapse-id": "6f9619ff-8b86-4011-b42d-00c04fc964ff",
            ], body: Array("{}".utf8))
    }

    @Test func `a request of W1 has no fault`() {
        #expect(APNSRequestCheck(Self.sound(), now: Self.now).fault == nil)
    }

    struct Case: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let fault: String
        let spoil: @Sendable (inout Request) -> Void

        init(_ testDescription: String, _ fault: String, _ spoil: @escaping @Sendable (inout Request) -> Void) {
            self.testDescription = testDescription
            self.fault = fault
            self.spoil = spoil
        }

        /// The header field gets another value, or is missing.
        init(_ name: String, _ value: String?, _ fault: String) {
            self.init("\(name): \(value ?? "missing")", fault) { request in
                var fields = Headers(request.headers.filter { $0.name != name })
                if let value { fields.append(name, value) }
                request.headers = fields
            }
        }
    }

    static let cases = [
        Case("another path", "BadPath") { $0.path = "/4/device/00ff" },
        Case("no token", "BadDeviceToken") { $0.path = "/3/device/" },
        Case("a token that is no hexadecimal number", "BadDeviceToken") { $0.path = "/3/device/xyz" },
        Case("authorization", nil, "MissingProviderToken"),
        Case("apns-topic", nil, "MissingTopic"),
        Case("apns-topic", "", "MissingTopic"),
        Case("apns-push-type", "background", "InvalidPushType"),
        Case("apns-priority", "7", "BadPriority"),
        Case("apns-id", "one", "BadMessageId"),
        Case("apns-collapse-id", nil, "BadCollapseId"),
        Case("apns-collapse-id", String(repeating: "c", count: 65), "BadCollapseId"),
        Case("apns-expiration", "0", "BadExpirationDate"),
        Case("apns-expiration", "\(now)", "BadExpirationDate"),
        Case("an empty body", "PayloadEmpty") { $0.body = [] },
        Case("a body of 4097 bytes", "PayloadTooLarge") { $0.body = Array(repeating: 0x20, count: 4097) },
    ]

    @Test(arguments: cases)
    func `each fault is named`(each: Case) {
        var request = Self.sound()
        each.spoil(&request)
        #expect(APNSRequestCheck(request, now: Self.now).fault == each.fault)
    }
}
