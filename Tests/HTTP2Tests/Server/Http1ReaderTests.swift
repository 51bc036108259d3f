import Testing

@testable import HTTP2

struct Http1ReaderTests {
    private func events(_ text: String, bodyLimit: Int = 100, pieces: Int = 1) -> [Http1Reader.Event] {
        var reader = Http1Reader(bodyLimit: bodyLimit)
        var events: [Http1Reader.Event] = []
        let bytes = Array(text.utf8)
        let size = max(1, bytes.count / pieces)
        for start in stride(from: 0, to: bytes.count, by: size) {
            reader.append(bytes[start..<min(bytes.count, start + size)])
            while true {
                let event = reader.next()
                if case .wait = event { break }
                events.append(event)
                if case .message = event { continue }
                break
            }
        }
        return events
    }

    private func message(
        _ method: String, _ target: String, _ fields: [(String, String)] = [], body: String = "", isLast: Bool = false
    ) -> Http1Reader.Event {
        .message(
            Http1Reader.Message(
                method: method, target: target, fields: fields.map { HeaderField($0.0, $0.1) },
                body: Array(body.utf8), isLast: isLast))
    }

    private static let post = "POST /x?y HTTP/1.1\r\nHost:  a \r\nContent-Length: 5\r\n\r\nhello"

    @Test(arguments: [1, 3, 70]) func `a request is read however it is cut`(pieces: Int) {
        let expected = message("POST", "/x?y", [("host", "a"), ("content-length", "5")], body: "hello")
        #expect(events(Self.post, pieces: pieces) == [expected])
    }

    @Test func `requests may follow each other without waiting`() {
        #expect(
            events("\r\nGET /1 HTTP/1.1\r\n\r\nGET /2 HTTP/1.1\r\nConnection: close\r\n\r\n")
                == [message("GET", "/1"), message("GET", "/2", [("connection", "close")], isLast: true)])
    }

    @Test(arguments: [1, 90]) func `chunks are put together and trailers skipped`(pieces: Int) {
        let text =
            "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\nA;x=y\r\n0123456789\r\n0\r\nT: t\r\n\r\n"
        let expected = message("POST", "/", [("transfer-encoding", "chunked")], body: "abc0123456789")
        #expect(events(text, pieces: pieces).last == expected)
    }

    @Test func `a client that asks before it sends its body is told to`() {
        let head = "POST / HTTP/1.1\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n"
        #expect(events(head) == [.wantsContinue])
    }

    @Test func `HTTP 1 point 0 is the last request of its connection`() {
        #expect(events("GET / HTTP/1.0\r\n\r\n") == [message("GET", "/", isLast: true)])
    }

    @Test(arguments: [
        ("GET /\r\n\r\n", 400), ("GET / SPDY/3\r\n\r\n", 400), ("GET / HTTP/1.1\r\nno colon\r\n\r\n", 400),
        ("GET / HTTP/1.1\r\n folded: x\r\n\r\n", 400), ("GET / HTTP/1.1\r\nContent-Length: x\r\n\r\n", 400),
        ("GET / HTTP/1.1\r\nContent-Length: 101\r\n\r\n", 413),
        ("GET / HTTP/1.1\r\nTransfer-Encoding: gzip\r\n\r\n", 400),
        ("GET / HTTP/1.1\r\nTransfer-Encoding: chunked\r\nContent-Length: 1\r\n\r\n", 400),
        ("POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n", 400),
        ("POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n65\r\n", 413),
        ("POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nabc", 400),
    ])
    func `what is no request is a fault for good`(text: String, status: Int) {
        #expect(events(text).first == .fault(status))
    }

    @Test func `an endless header is a fault`() {
        let endless =
            "GET / HTTP/1.1\r\n" + String(repeating: "x: \(String(repeating: "y", count: 100))\r\n", count: 700)
        #expect(events(endless) == [.fault(431)])
    }
}
