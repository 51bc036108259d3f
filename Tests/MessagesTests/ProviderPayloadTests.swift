import Delivery
import Messages
import Testing

@Suite struct ProviderPayloadTests {
    private let job = Identifier("6f1c2f0e-52d7-4a53-9c39-2d6a1f0b7c11")!

    @Test func `APNs gets exactly these bytes`() {
        let payload = APNSPayload(
            alert: APNSPayload.Alert(titleKey: "RECEIPT_TITLE", bodyKey: "RECEIPT_BODY"), category: "RECEIPT_READY",
            hint: WorkHint(job: job, documentType: .receipt))
        #expect(
            payload.encoded().text == """
                {"aps":{"alert":{"title-loc-key":"RECEIPT_TITLE","loc-key":"RECEIPT_BODY"},"content-available":1,\
                "sound":"default","category":"RECEIPT_READY"},"eventType":"RECEIPT_GENERATION_AVAILABLE",\
                "eventVersion":1,"jobId":"6f1c2f0e-52d7-4a53-9c39-2d6a1f0b7c11","documentType":"RECEIPT"}
                """)
    }

    @Test func `FCM gets exactly these bytes (fault 39)`() {
        let payload = FCMPayload(
            kind: .token, token: "t:1", hint: WorkHint(job: job, documentType: .creditNote), timeToLive: 3600)
        #expect(
            payload.encoded().text == """
                {"message":{"token":"t:1","data":{"eventType":"RECEIPT_GENERATION_AVAILABLE","eventVersion":"1",\
                "jobId":"6f1c2f0e-52d7-4a53-9c39-2d6a1f0b7c11","documentType":"CREDIT_NOTE"},\
                "android":{"priority":"HIGH","ttl":"3600s"}}}
                """)
    }

    @Test func `an installation id is named fid, a dry run says validate_only`() {
        let payload = FCMPayload(
            kind: .fid, token: "f", hint: WorkHint(job: job, documentType: .receipt), timeToLive: 1, isDryRun: true)
        #expect(payload.encoded().text.hasPrefix(#"{"validate_only":true,"message":{"fid":"f","data":"#))
    }

    @Test(arguments: [(-5, "1s"), (0, "1s"), (1, "1s"), (2_419_200, "2419200s"), (2_419_201, "2419200s")])
    func `time to live is clamped to what FCM takes`(seconds: Int64, text: String) throws {
        let payload = FCMPayload(
            kind: .token, token: "t", hint: WorkHint(job: job, documentType: .receipt), timeToLive: seconds)
        let value = try JSONValue(parsing: payload.encoded())
        #expect(value["message"]?["android"]?["ttl"] == .string(text))
    }

    @Test func `a token with quotes cannot break out of its string`() throws {
        let token = "a\"},\"notification\":{\"title\":\"x\u{0}\\"
        let payload = FCMPayload(
            kind: .token, token: token, hint: WorkHint(job: job, documentType: .receipt), timeToLive: 1)
        let value = try JSONValue(parsing: payload.encoded())
        #expect(value["message"]?["token"] == .string(token))
        #expect(value["message"]?.object?.keys.sorted() == ["android", "data", "token"])
    }
}
