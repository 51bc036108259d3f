import Testing

@testable import HTTP2

struct ReceivedFieldsTests {
    private let headers: Headers = [":path": "/x", "a": "", "b": "é", "b": "2"]

    @Test func `fields come out as they went in, in their order`() {
        let fields = ReceivedFields(headers)
        #expect(fields.count == 4)
        #expect(fields.headers == headers)
        #expect(ReceivedFields([:]).headers.isEmpty)
    }

    @Test func `the first field of a name is found, and none that only begins like it`() {
        let fields = ReceivedFields(headers)
        #expect(fields["b"]?.text == "é")
        #expect(fields["a"]?.text == "")
        #expect(fields[":pat"] == nil)
        #expect(fields[":path/"] == nil)
    }

    @Test func `a part is compared with strings byte by byte`() throws {
        let value = try #require(ReceivedFields(headers)["b"])
        #expect(value == "é")
        #expect(!(value == "e"))
        #expect(value == String("é"))
        #expect(!(value == String("éé")))
    }

    @Test func `fields of any number and length are kept`() {
        let many = Headers((0..<200).map { HeaderField("name-\($0)", String(repeating: "v", count: $0 * 7)) })
        #expect(ReceivedFields(many).headers == many)
    }
}
