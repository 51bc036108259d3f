import HTTP2
import Testing

struct OriginTests {
    @Test(arguments: [
        ("https://api.push.apple.com", "api.push.apple.com", UInt16(443), "api.push.apple.com"),
        ("https://api.push.apple.com:2197/", "api.push.apple.com", 2197, "api.push.apple.com:2197"),
        ("HTTPS://127.0.0.1:8443", "127.0.0.1", 8443, "127.0.0.1:8443"),
        ("https://[::1]:8443", "::1", 8443, "[::1]:8443"),
    ])
    func `an origin is read from its URL`(url: String, host: String, port: UInt16, authority: String) throws {
        let origin = try #require(Origin(url: url))
        #expect(origin.host == host)
        #expect(origin.port == port)
        #expect(origin.authority == authority)
    }

    @Test(arguments: ["http://x", "x", "https://", "https://x/path", "https://x:0", "https://x:a", "https://u@x"])
    func `anything else is no origin`(url: String) {
        #expect(Origin(url: url) == nil)
    }
}
