import Delivery
import Messages
import Testing

@Suite struct RequestSignatureTests {
    private let device = Identifier("0190a2b3-c4d5-4e6f-8a9b-0123456789ab")!

    @Test func `a request without a body has this signature base`() throws {
        let signature = RequestSignature(keyID: device, created: 1_700_000_000, coversContent: false)
        let request = SignedRequest(method: "GET", authority: "gw.example", path: "/v1/sync", query: "limit=50")
        #expect(
            try #require(signature.base(of: request)).text == """
                "@method": GET
                "@authority": gw.example
                "@path": /v1/sync
                "@query": ?limit=50
                "@signature-params": ("@method" "@authority" "@path" "@query");created=1700000000;\
                keyid="0190a2b3-c4d5-4e6f-8a9b-0123456789ab";tag="cheqi-device-v1"
                """)
    }

    @Test func `a request with a body covers its digest and type`() throws {
        let signature = RequestSignature(keyID: device, created: 1_700_000_000, coversContent: true)
        let content = SignedRequest.Content(digest: [UInt8](repeating: 0, count: 32), type: "application/json")
        let request = SignedRequest(
            method: "POST", authority: "127.0.0.1:8080", path: "/v1/devices", content: content)
        #expect(
            try #require(signature.base(of: request)).text == """
                "@method": POST
                "@authority": 127.0.0.1:8080
                "@path": /v1/devices
                "@query": ?
                "content-digest": sha-256=:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=:
                "content-type": application/json
                "@signature-params": ("@method" "@authority" "@path" "@query" "content-digest" "content-type");\
                created=1700000000;keyid="0190a2b3-c4d5-4e6f-8a9b-0123456789ab";tag="cheqi-device-v1"
                """)
    }

    @Test(arguments: [true, false])
    func `what is written is read back`(coversContent: Bool) throws {
        let signature = RequestSignature(keyID: device, created: 1_700_000_000, coversContent: coversContent)
        #expect(RequestSignature(input: signature.input) == signature)
    }

    @Test func `parameters in another order are read, and signed as they were sent`() throws {
        let input =
            #"sig1=("@method" "@authority" "@path" "@query");tag="cheqi-device-v1";keyid="\#(device)";created=5"#
        let signature = try #require(RequestSignature(input: input))
        #expect(signature.created == 5 && signature.keyID == device && signature.input == input)
    }

    @Test(arguments: [
        "", "sig1=", #"sig2=("@method" "@authority" "@path" "@query");created=5;keyid="K";tag="cheqi-device-v1""#,
        #"sig1=("@method" "@path" "@query");created=5;keyid="K";tag="cheqi-device-v1""#,
        #"sig1=("@method" "@authority" "@path");created=5;keyid="K";tag="cheqi-device-v1""#,
        #"sig1=("@method" "@authority" "@path" "@query");created=5;keyid="K";tag="other""#,
        #"sig1=("@method" "@authority" "@path" "@query");created=5;keyid="K""#,
        #"sig1=("@method" "@authority" "@path" "@query");created=-5;keyid="K";tag="cheqi-device-v1""#,
        #"sig1=("@method" "@authority" "@path" "@query");created=5;created=6;keyid="K";tag="cheqi-device-v1""#,
        #"sig1=("@method" "@authority" "@path" "@query");created=5;keyid="K";tag="cheqi-device-v1";alg="ed25519""#,
        #"sig1=("@method" "@authority" "@path" "@query" "content-digest");created=5;keyid="K";tag="cheqi-device-v1""#,
    ])
    func `whatever is not the profile is refused`(template: String) {
        #expect(RequestSignature(input: template.replacingK(with: device.description)) == nil)
    }

    @Test func `body and coverage must go together`() {
        let signature = RequestSignature(keyID: device, created: 1, coversContent: true)
        #expect(signature.base(of: SignedRequest(method: "GET", authority: "a", path: "/")) == nil)
    }

    @Test(arguments: [(0, true), (120, true), (121, false), (-120, true), (-121, false)])
    func `the window is 120 seconds either way`(offset: Int64, fresh: Bool) {
        let signature = RequestSignature(keyID: device, created: 1_000_000 + offset, coversContent: false)
        #expect(signature.isFresh(at: 1_000_000) == fresh)
    }

    @Test func `headers of signature and digest are strict`() {
        let digest = [UInt8](repeating: 9, count: 32)
        #expect(RequestSignature.digest(inHeader: RequestSignature.contentDigest(digest)) == digest)
        #expect(RequestSignature.digest(inHeader: "sha-512=:AAAA:") == nil)
        #expect(RequestSignature.digest(inHeader: "sha-256=:AAAA:") == nil)
        #expect(RequestSignature.signature(inHeader: RequestSignature.header(digest)) == digest)
        #expect(RequestSignature.signature(inHeader: "sig1=:") == nil)
        #expect(RequestSignature.signature(inHeader: "sig2=:AAAA:") == nil)
    }
}

extension String {
    fileprivate func replacingK(with text: String) -> String {
        split(separator: "\"K\"" as String, omittingEmptySubsequences: false).joined(separator: "\"\(text)\"")
    }
}
