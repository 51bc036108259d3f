import Delivery
import Testing

@Suite struct FingerprintTests {
    @Test func `a fingerprint is 64 lower-case digits, of which a log shows eight`() throws {
        let fingerprint = try #require(Fingerprint(bytes: (0..<32).map { UInt8($0 * 7) }))
        #expect(Fingerprint(fingerprint.description) == fingerprint)
        #expect(fingerprint.description.count == 64)
        #expect(fingerprint.short == "00070e15")
    }

    @Test(arguments: ["", "00", String(repeating: "0", count: 63), String(repeating: "g", count: 64)])
    func `other texts are none`(text: String) {
        #expect(Fingerprint(text) == nil)
    }
}
