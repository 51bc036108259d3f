import Testing

@testable import DeviceKitC

@Suite struct FieldLinesTests {
    @Test func `names are in lower case and values without blanks around them`() {
        #expect(
            FieldLines.read("ETag:  \"a:b\" \r\nRetry-After: 3\nno colon\n") == ["etag": "\"a:b\"", "retry-after": "3"])
    }
}
