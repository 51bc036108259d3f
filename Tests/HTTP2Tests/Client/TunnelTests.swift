import Testing

@testable import HTTP2

struct TunnelTests {
    private let origin = Origin(host: "push.example", port: 443)
    private let proxy = Proxy(host: "10.0.0.1", port: 3128, credentials: "anna:secret")

    private func answers(_ parts: String...) -> [Tunnel.Progress] {
        var tunnel = Tunnel(to: origin, through: proxy)
        return parts.map { part in Array(part.utf8).withUnsafeBytes { tunnel.receive($0) } }
    }

    @Test(arguments: [
        (Origin(host: "push.example", port: 443), "push.example:443"),
        (Origin(host: "push.example", port: 2197), "push.example:2197"),
        (Origin(host: "fe80::1", port: 443), "[fe80::1]:443"),
    ])
    func `the request names host and port`(origin: Origin, target: String) {
        let request = Tunnel(to: origin, through: Proxy(host: "p", port: 80)).request
        #expect(
            String(decoding: request, as: UTF8.self) == "CONNECT \(target) HTTP/1.1\r\nHost: \(target)\r\n\r\n")
    }

    @Test(arguments: [
        ("a", "YQ=="), ("ab", "YWI="), ("abc", "YWJj"), ("anna:secret", "YW5uYTpzZWNyZXQ="), ("ü:ÿ", "w7w6w78="),
    ])
    func `credentials travel as Basic`(credentials: String, encoded: String) {
        let request = Tunnel(to: origin, through: Proxy(host: "p", port: 80, credentials: credentials)).request
        #expect(String(decoding: request, as: UTF8.self).contains("\r\nProxy-Authorization: Basic \(encoded)\r\n"))
    }

    @Test func `a positive answer opens it, however it is cut`() {
        #expect(answers("HTTP/1.1 200 OK\r\n\r\n") == [.open(used: 19)])
        #expect(answers("HTTP/1.1 2", "00 OK\r\nA: b\r\n\r", "\n") == [.going, .going, .open(used: 1)])
        #expect(answers("HTTP/1.0 200 Connection established\n\n") == [.open(used: 37)])
    }

    @Test func `bytes behind the answer are not the proxy's`() {
        #expect(answers("HTTP/1.1 200 OK\r\n\r\nTLS") == [.open(used: 19)])
    }

    @Test(arguments: [
        ("HTTP/1.1 407 Proxy Authentication Required\r\n\r\n", "407 Proxy Authentication Required"),
        ("HTTP/1.1 503\r\n\r\n", "503"), ("SSH-2.0-OpenSSH\r\n\r\n", "does not speak HTTP/1"),
        ("\u{1}\u{2}\r\n\r\n", "does not speak HTTP/1"),
    ])
    func `another answer is told, without the password`(answer: String, reason: String) {
        #expect(answers(answer) == [.refused("proxy http://10.0.0.1:3128: \(reason)")])
    }

    @Test func `an answer without an end is given up`() {
        let long = String(repeating: "x", count: Tunnel.answerLimit + 1)
        #expect(answers(long) == [.refused("proxy http://10.0.0.1:3128: no end to its answer")])
    }
}
