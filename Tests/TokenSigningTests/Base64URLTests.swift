import Testing
import TokenSigning

struct Base64URLTests {
    @Test(
        arguments: zip(
            ["", "f", "fo", "foo", "foob", "fooba", "foobar"],
            ["", "Zg", "Zm8", "Zm9v", "Zm9vYg", "Zm9vYmE", "Zm9vYmFy"]))
    func `the vectors of RFC 4648 hold without padding`(plain: String, encoded: String) {
        #expect(Base64URL.encoded(Array(plain.utf8)) == encoded)
        #expect(Base64URL.decoded(encoded) == Array(plain.utf8))
    }

    @Test func `the two letters that differ from plain base64 are used`() {
        #expect(Base64URL.encoded([0xfb, 0xff]) == "-_8")
        #expect(Base64URL.decoded("-_8") == [0xfb, 0xff])
    }

    @Test(arguments: ["Zg==", "Z", "Zh", "+/8", "Zm 8"])
    func `padding, foreign letters and left-over bits are refused`(text: String) {
        #expect(Base64URL.decoded(text) == nil)
    }
}
