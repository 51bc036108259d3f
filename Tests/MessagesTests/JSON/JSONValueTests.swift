import Messages
import Testing

@Suite struct JSONValueTests {
    @Test func `a document is read and written canonically`() throws {
        let text = #" { "b" : [ 1 , -2.50 , true , null ] , "a" : "\u00e9\ud83d\ude00\/\n" } "#
        let value = try JSONValue(parsing: Array(text.utf8))
        #expect(value.encoded().text == #"{"a":"é😀/\n","b":[1,-2.50,true,null]}"#)
        #expect(try JSONValue(parsing: value.encoded()) == value)
    }

    @Test(arguments: [
        "", " ", "{", "[1,]", "{\"a\":1,}", "{\"a\":1,\"a\":2}", "01", "1.", "-", "+1", "nul", "\"\\ud800\"", "\"\\x\"",
        "\"\u{1}\"", "\"", "{a:1}", "1 2", "[1 2]", "\"\\u12\"", "\"\\ud83d\\u0041\"", "NaN",
    ])
    func `what is not JSON, or could be read two ways, is refused`(text: String) {
        #expect(throws: MessageError.self) { try JSONValue(parsing: Array(text.utf8)) }
    }

    @Test func `invalid UTF-8 is refused`() {
        #expect(throws: MessageError.self) { try JSONValue(parsing: [0x22, 0xFF, 0x22]) }
    }

    @Test func `depth is limited`() {
        let deep = String(repeating: "[", count: 100_000)
        #expect(throws: MessageError.self) { try JSONValue(parsing: Array(deep.utf8)) }
    }

    @Test func `a number beyond 64 bits keeps its text`() throws {
        #expect(
            try JSONValue(parsing: Array("123456789012345678901234567890".utf8))
                == .decimal("123456789012345678901234567890"))
    }

    @Test(
        arguments: [
            ("56480.0", 56480), ("-3.00", -3), ("1e3", 1000), ("1.5E1", 15), ("1.5", nil), ("1e-3", nil), ("1e99", nil),
            ("9223372036854775808", nil),
        ] as [(String, Int64?)])
    func `a number without a fraction is an integer however it is written`(text: String, number: Int64?) throws {
        #expect(try JSONValue(parsing: Array(text.utf8)).integer == number)
    }
}
