import Delivery
import DeviceKit
import Messages
import Testing

@Suite struct HintVerdictTests {
    private static let job = Identifier("6f1c2f0e-52d7-4a53-9c39-2d6a1f0b7c11")!

    private func verdict(_ fields: String) -> HintVerdict { HintVerdict(payload: Array(fields.utf8)) }

    @Test(arguments: ["1", "\"1\""])
    func `the version may be a number or a string`(version: String) {
        #expect(
            verdict(
                #"{"eventType":"RECEIPT_GENERATION_AVAILABLE","eventVersion":\#(version),"jobId":"\#(Self.job)","documentType":"RECEIPT"}"#
            ) == .work(WorkHint(job: Self.job, documentType: .receipt)))
    }

    @Test func `what is sent is understood, with the system's own part and fields from the future beside it`() {
        let sent = APNSPayload(
            alert: APNSPayload.Alert(titleKey: "T", bodyKey: "B"), category: "C",
            hint: WorkHint(job: Self.job, documentType: .creditNote))
        #expect(
            HintVerdict(payload: sent.encoded()) == .work(WorkHint(job: Self.job, documentType: .creditNote)))
    }

    @Test(arguments: [
        (#"{"eventType":"SOMETHING_ELSE","eventVersion":1}"#, HintVerdict.unknown),
        (#"{"eventType":"RECEIPT_GENERATION_AVAILABLE","eventVersion":2}"#, .unknown),
        (#"{"eventType":"RECEIPT_GENERATION_AVAILABLE","eventVersion":"2"}"#, .unknown),
        (
            #"{"eventType":"RECEIPT_GENERATION_AVAILABLE","eventVersion":1,"jobId":"6f1c2f0e-52d7-4a53-9c39-2d6a1f0b7c11","documentType":"INVOICE"}"#,
            .unknown
        ),
        (#"{"eventType":"receipt_generation_available","eventVersion":1}"#, .unknown),
        (#"{"eventVersion":1}"#, .invalid), (#"{"eventType":"RECEIPT_GENERATION_AVAILABLE"}"#, .invalid),
        (#"{"eventType":"RECEIPT_GENERATION_AVAILABLE","eventVersion":1.5}"#, .invalid),
        (#"{"eventType":"RECEIPT_GENERATION_AVAILABLE","eventVersion":"1 "}"#, .invalid),
        (
            #"{"eventType":"RECEIPT_GENERATION_AVAILABLE","eventVersion":1,"jobId":"x","documentType":"RECEIPT"}"#,
            .invalid
        ),
        (
            #"{"eventType":"RECEIPT_GENERATION_AVAILABLE","eventVersion":1,"jobId":"6f1c2f0e-52d7-4a53-1c39-2d6a1f0b7c11","documentType":"RECEIPT"}"#,
            .invalid
        ),
        (
            #"{"eventType":"RECEIPT_GENERATION_AVAILABLE","eventVersion":1,"jobId":"6f1c2f0e-52d7-4a53-9c39-2d6a1f0b7c11"}"#,
            .invalid
        ),
        ("[]", .invalid), ("", .invalid), ("null", .invalid),
    ])
    func `anything else is unknown or invalid`(fields: String, expected: HintVerdict) {
        #expect(verdict(fields) == expected)
    }

    @Test func `a payload above the limit is not looked into`() {
        let filler = String(repeating: "x", count: HintVerdict.longestPayload)
        #expect(
            verdict(
                #"{"eventType":"RECEIPT_GENERATION_AVAILABLE","eventVersion":1,"jobId":"\#(Self.job)","documentType":"RECEIPT","x":"\#(filler)"}"#
            ) == .invalid)
    }
}
