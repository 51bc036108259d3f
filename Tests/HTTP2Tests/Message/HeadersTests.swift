import Testing

@testable import HTTP2

struct HeadersTests {
    private let headers: Headers = [":path": "/x", "a": "", "b": "é", "b": "2"]

    @Test func `fields come out as they went in, in their order`() {
        #expect(headers.map(\.name) == [":path", "a", "b", "b"])
        #expect(headers.map(\.value) == ["/x", "", "é", "2"])
        #expect((0..<4).map { headers.name($0).text } == headers.map(\.name))
        #expect((0..<4).map { headers.value($0).text } == headers.map(\.value))
    }

    @Test func `the first field of a name is found, and none that only begins like it`() {
        #expect(headers.value(of: "b")?.text == "é")
        #expect(headers.value(of: "a")?.text == "")
        #expect(headers.value(of: ":pat") == nil)
        #expect(headers.value(of: ":path/") == nil)
        #expect(headers["b"] == "é")
        #expect(headers[":path/"] == nil)
    }

    @Test func `a part is compared with strings byte by byte`() throws {
        let value = try #require(headers.value(of: "b"))
        #expect(value == "é")
        #expect(!(value == "e"))
        #expect(value == String("é"))
        #expect(!(value == String("éé")))
    }

    @Test func `fields of any number and length are kept`() {
        let many = (0..<200).map { HeaderField("name-\($0)", String(repeating: "v", count: $0 * 7)) }
        #expect(Array(Headers(many)) == many)
    }
}
