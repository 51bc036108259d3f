import Glibc
import HTTPServer
import TestSupport
import Testing

/// Clients that hold a connection without getting on, and ones that speak no HTTP.
@Suite(.serialized, .timeLimit(.minutes(2))) struct SlowClientTests {
    private func limits() -> Limits {
        var limits = Limits()
        limits.idle = .seconds(1)
        limits.head = .milliseconds(500)
        limits.upload = .seconds(1)
        return limits
    }

    /// Sends a byte now and then until the server has closed; how long that took, or nil after ten seconds.
    private func drip(_ client: RawClient) async throws -> Duration? {
        let began = ContinuousClock.now
        let closed = try await eventually {
            let byte = UInt8(ascii: "a")
            let sent = withUnsafeBytes(of: byte) { send(client.descriptor, $0.baseAddress, 1, Int32(MSG_NOSIGNAL)) }
            var other: UInt8 = 0
            return sent < 1 || recv(client.descriptor, &other, 1, Int32(MSG_DONTWAIT) | Int32(MSG_PEEK)) == 0
        }
        return closed ? began.duration(to: .now) : nil
    }

    @Test(arguments: [
        // No first line, no end of the head, no end of the body.
        "", "GET / HTTP/1.1\r\nHost: h\r\nX-", "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 100000\r\n\r\n",
    ])
    func `a client that sends a byte now and then is cut`(beginning: String) async throws {
        let listener = try Listener.start(.loopback(), limits: limits()) { _ in .text("never|") }
        let client = try RawClient(port: listener.port)
        client.send(beginning)
        let taken = try #require(try await drip(client))
        #expect(taken > .milliseconds(700) && taken < .seconds(6), "\(taken)")
        client.close()
        await listener.stop()
    }

    @Test func `a client that hardly reads its answer is cut`() async throws {
        let listener = try Listener.start(.loopback(), limits: limits()) { _ in
            Response(status: 200, body: [UInt8](repeating: 7, count: 32 << 20))
        }
        let client = try RawClient(port: listener.port)
        client.send("GET / HTTP/1.1\r\nHost: h\r\n\r\n")
        var received = 0
        var buffer = [UInt8](repeating: 0, count: 64 << 10)
        let ended = try await eventually(within: .seconds(30)) {
            let count = recv(client.descriptor, &buffer, buffer.count, Int32(MSG_DONTWAIT))
            received += max(0, count)
            return count == 0 || count < 0 && errno != EAGAIN
        }
        #expect(ended)
        #expect(received < 32 << 20)
        client.close()
        await listener.stop()
    }

    @Test func `a handler may take longer than any client`() async throws {
        let (release, released) = AsyncStream<Void>.makeStream()
        let listener = try Listener.start(.loopback(), limits: limits()) { _ in
            for await _ in release {}
            return .text("late|")
        }
        let client = try RawClient(port: listener.port)
        client.send("GET / HTTP/1.1\r\nHost: h\r\n\r\n")
        let slow = try RawClient(port: listener.port)
        slow.send("GET / HTTP/1.1\r\nHost: h\r\nX-")
        #expect(try await drip(slow) != nil)
        released.finish()
        #expect(await client.receive(until: "|").hasSuffix("late|"))
        client.close()
        slow.close()
        await listener.stop()
    }

    @Test func `a busy connection lives longer than every limit`() async throws {
        let listener = try Listener.start(.loopback(), limits: limits()) { _ in .text("x|") }
        let client = try RawClient(port: listener.port)
        let end = ContinuousClock.now + .seconds(4)
        let lived = try await eventually(within: .seconds(20)) {
            client.send("GET / HTTP/1.1\r\nHost: h\r\n\r\n")
            #expect(await client.receive(until: "|").hasSuffix("x|"))
            return .now > end
        }
        #expect(lived)
        client.close()
        await listener.stop()
    }

    @Test(arguments: [
        "\u{16}\u{3}\u{1}\u{2}\u{0}\r\n\r\n", "GET\r\n\r\n", "GET / HTTP/1.1\r\nContent-Length: minus\r\n\r\n",
        "POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
        "GET / HTTP/1.1\r\nHost: h\r\nX: \(String(repeating: "a", count: 64 << 10))\r\n\r\n",
    ])
    func `what is no request, or too large a head, is refused and closed, and others are served`(text: String)
        async throws
    {
        let listener = try Listener.start(.loopback(), limits: limits()) { _ in .text("x|") }
        let broken = try RawClient(port: listener.port)
        broken.send(text)
        let answer = await broken.receive()
        #expect(answer.isEmpty || answer.hasPrefix("HTTP/1.1 4"), "\(answer.prefix(60))")
        let client = try RawClient(port: listener.port)
        client.send("GET / HTTP/1.1\r\nHost: h\r\n\r\n")
        #expect(await client.receive(until: "|").hasSuffix("x|"))
        client.close()
        broken.close()
        await listener.stop()
    }

    @Test func `thousands of idle connections leave room for a request`() async throws {
        var limits = Limits()
        limits.connections = 5_000
        let listener = try Listener.start(.loopback(), limits: limits) { _ in .text("x|") }
        var idle: [RawClient] = []
        for _ in 0..<3_000 { idle.append(try RawClient(port: listener.port)) }
        for client in idle[1_000..<1_050] {
            client.send("GET / HTTP/1.1\r\nHost: h\r\n\r\n")
            #expect(await client.receive(until: "|").hasSuffix("x|"))
        }
        for client in idle { client.close() }
        await listener.stop()
    }
}
