import Glibc
import HTTPServer
import Testing

@Suite(.timeLimit(.minutes(1))) struct ListenerTests {
    @Test func `the handler gets the raw target, the headers and the whole body`() async throws {
        let listener = try Listener.start(.loopback()) { request in
            .text("\(request.method) \(request.target) \(request.headers["x-a"] ?? "") \(request.body.count)|")
        }
        let client = try RawClient(port: listener.port)
        client.send(
            "POST /a%2fb/../c?q=%41&r HTTP/1.1\r\nHost: h\r\nX-A: 1\r\nX-a: 2\r\nContent-Length: 5\r\n\r\nhello")
        let answer = await client.receive(until: "|")
        #expect(answer.hasPrefix("HTTP/1.1 200"))
        #expect(answer.hasSuffix("POST /a%2fb/../c?q=%41&r 1, 2 5|"))
        client.close()
        await listener.stop()
    }

    @Test func `a connection serves one request after another`() async throws {
        let listener = try Listener.start(.loopback()) { .text("\($0.path)|") }
        let client = try RawClient(port: listener.port)
        for path in ["/1", "/2", "/3"] {
            client.send("GET \(path) HTTP/1.1\r\nHost: h\r\n\r\n")
            #expect(await client.receive(until: "|").hasSuffix("\(path)|"))
        }
        client.close()
        await listener.stop()
    }

    @Test(arguments: ["Content-Length: 11\r\n\r\n", "Transfer-Encoding: chunked\r\n\r\nb\r\nhello world\r\n0\r\n\r\n"])
    func `a body above the limit is 413`(rest: String) async throws {
        var limits = Limits()
        limits.body = 10
        let listener = try Listener.start(.loopback(), limits: limits) { _ in .text("never") }
        let client = try RawClient(port: listener.port)
        client.send("POST / HTTP/1.1\r\nHost: h\r\n\(rest)")
        #expect(await client.receive().hasPrefix("HTTP/1.1 413"))
        client.close()
        await listener.stop()
    }

    @Test func `a client that goes away while it is served does no harm`() async throws {
        let (stream, enter) = AsyncStream.makeStream(of: Void.self)
        let gate = Gate()
        let listener = try Listener.start(.loopback()) { _ in
            enter.yield()
            await gate.wait()
            return .text("late")
        }
        let client = try RawClient(port: listener.port)
        client.send("GET / HTTP/1.1\r\nHost: h\r\n\r\n")
        var entered = stream.makeAsyncIterator()
        await entered.next()
        client.close()
        await gate.open()
        await listener.stop()
    }

    @Test func `stop answers what hangs with 503`() async throws {
        let (stream, enter) = AsyncStream.makeStream(of: Void.self)
        let gate = Gate()
        let listener = try Listener.start(.loopback()) { _ in
            enter.yield()
            await gate.wait()
            return .text("late")
        }
        let client = try RawClient(port: listener.port)
        client.send("GET / HTTP/1.1\r\nHost: h\r\n\r\n")
        var entered = stream.makeAsyncIterator()
        await entered.next()
        await listener.stop(grace: .milliseconds(20))
        #expect(await client.receive().hasPrefix("HTTP/1.1 503"))
        await gate.open()
        client.close()
    }

    @Test func `a handed over connection is served without a listening socket`() async throws {
        let listener = try Listener.startUnbound { .text("\($0.path)|") }
        var pair: [Int32] = [0, 0]
        #expect(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &pair) == 0)
        try listener.addConnection(descriptor: pair[0])
        let client = RawClient(descriptor: pair[1])
        client.send("GET /here HTTP/1.1\r\nHost: h\r\n\r\n")
        #expect(await client.receive(until: "|").hasSuffix("/here|"))
        client.close()
        await listener.stop()
    }

    @Test func `a taken port is an error that names it`() async throws {
        let first = try Listener.start(.loopback()) { _ in .text("") }
        let address = Address.loopback(port: first.port)
        #expect(throws: HTTPServerError.cannotListen(address, code: EADDRINUSE)) {
            try Listener.start(address) { _ in .text("") }
        }
        await first.stop()
    }

    @Test func `it listens on IPv6 too`() async throws {
        let listener = try Listener.start(Address(host: "::1", port: 0)) { _ in .text("") }
        #expect(listener.port > 0)
        await listener.stop()
    }
}

/// Opens once; everybody waits before.
actor Gate {
    private var isOpen = false
    private var waiters: [CheckedContinuation<Void, Never>] = []

    func open() {
        isOpen = true
        for waiter in waiters { waiter.resume() }
        waiters = []
    }

    func wait() async {
        guard !isOpen else { return }
        await withCheckedContinuation { waiters.append($0) }
    }
}
