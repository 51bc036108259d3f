import Testing

@testable import HTTP2

struct ProxyTests {
    @Test(arguments: [
        ("http://proxy.example:3128", Proxy(host: "proxy.example", port: 3128)),
        ("proxy.example:3128/", Proxy(host: "proxy.example", port: 3128)),
        ("HTTP://proxy.example", Proxy(host: "proxy.example", port: 80)),
        ("http://[::1]:8080", Proxy(host: "::1", port: 8080)),
        ("http://[::1]", Proxy(host: "::1", port: 80)),
        ("http://anna:s%40fe%3A@10.0.0.1:8080", Proxy(host: "10.0.0.1", port: 8080, credentials: "anna:s@fe:")),
        ("http://an@na:x@p:1", Proxy(host: "p", port: 1, credentials: "an@na:x")),
    ])
    func `a proxy is read from its URL`(url: String, proxy: Proxy) {
        #expect(Proxy(url: url) == proxy)
    }

    @Test(arguments: [
        "", "https://proxy.example:3128", "socks5://proxy.example:1080", "http://", "http://p:0", "http://p:x",
        "http://p/path", "http://a%zz:b@p:1", "http://a%4:b@p:1", "http://@p:1",
    ])
    func `anything else is no proxy`(url: String) {
        #expect(Proxy(url: url) == nil)
    }

    @Test func `a printed proxy has no password`() {
        #expect(Proxy(host: "::1", port: 8080, credentials: "anna:secret").description == "http://[::1]:8080")
    }

    @Test(arguments: ["http://an%40na:s%3Ae%25%C3%BC@[::1]:8080", "http://p:80", "http://anna@p:3128"])
    func `the address of a proxy reads back`(address: String) {
        #expect(Proxy(url: address)?.address == address)
    }

    @Test(arguments: [
        ("push.example", "push.example", true), ("example", "push.example", true), (".example", "push.example", true),
        ("*.example", "push.example", true), ("ample", "push.example", false), ("other.example", "push.example", false),
        ("PUSH.example", "push.EXAMPLE", true), ("a, push.example ,b", "push.example", true),
        ("push.example:2197", "push.example", false), ("push.example:443", "push.example", true),
        ("*", "push.example", true), ("", "push.example", false), ("10.0.0.1", "10.0.0.1", true),
        ("10.0.0.1:443", "10.0.0.1", true), ("fe80::1", "fe80::1", true), ("[fe80::1]:443", "fe80::1", true),
        ("[fe80::1]:2197", "fe80::1", false), ("", "localhost", true), ("", "127.0.0.1", true), ("", "::1", true),
        ("", "127.example", false),
    ])
    func `exceptions are names, addresses and ports`(list: String, host: String, isContained: Bool) {
        #expect(ProxyExceptions(list).contain(Origin(host: host)) == isContained)
    }
}
