import HTTPServer
import Testing

@Suite struct RequestTests {
    @Test func `path and query stay as they were sent`() {
        let request = Request(method: "GET", target: "/a%2Fb?x=1&y=%20%41?")
        #expect(request.path == "/a%2Fb")
        #expect(request.query == "x=1&y=%20%41?")
        #expect(request.parameter("y") == " A?")
        #expect(request.parameter("z") == nil)
    }

    @Test(arguments: [("127.0.0.1:80", "127.0.0.1"), ("[::1]:80", "::1"), ("localhost:80", "127.0.0.1")])
    func `an address is read`(text: String, host: String) {
        #expect(Address(text) == Address(host: host, port: 80))
    }

    @Test(arguments: ["", "80", ":80", "::1:80", "a:b", "1.2.3.4:65536"])
    func `a bad address is refused`(text: String) {
        #expect(Address(text) == nil)
    }
}
