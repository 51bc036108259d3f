import Testing

@testable import ProviderSimulator

struct JSONValueTests {
    @Test(arguments: [
        (#"{"b":1,"a":[true,false,null]}"#, #"{"b":1,"a":[true,false,null]}"#),
        (#" { "x" : -1.5e3 } "#, #"{"x":-1500.0}"#),
        (#""\u00e9\n\"\\\/""#, "\"é\\n\\\"\\\\/\""),
        (#""\ud83d\ude00""#, "\"😀\""),
        ("0", "0"),
        ("[]", "[]"),
        ("9223372036854775807", "9223372036854775807"),
    ])
    func `a text is read and written`(text: String, written: String) throws {
        #expect(try #require(JSONValue(parsing: text)).text == written)
    }

    @Test(arguments: [
        "", "{", "[1,]", "{\"a\"}", "01", "1.", "+1", "nul", "\"\\x\"", "\"a", "{\"a\":1} x", "\"\\ud83d\"", "'a'", "-",
        "\"\n\"", String(repeating: "[", count: 100) + String(repeating: "]", count: 100),
    ])
    func `what is not JSON is not read`(text: String) {
        #expect(JSONValue(parsing: text) == nil)
    }

    @Test func `broken UTF-8 is not read`() {
        #expect(JSONValue(parsing: [0x22, 0xFF, 0x22]) == nil)
    }
}
