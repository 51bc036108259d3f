import Messages
import Testing

@Suite struct Base64Tests {
    @Test(arguments: [
        ("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="), ("fooba", "Zm9vYmE="),
    ])
    func `the vectors of RFC 4648 hold both ways`(plain: String, encoded: String) {
        #expect(Base64.encode(Array(plain.utf8)) == encoded)
        #expect(Base64.decode(encoded)?.text == plain)
    }

    @Test(arguments: ["Zg", "Zg=", "Zh==", "Zm9=", "Z===", "====", "Zm9v\n", "Zm-v", "Zg==Zg=="])
    func `anything but the one form of a value is refused`(text: String) {
        #expect(Base64.decode(text) == nil)
    }
}
