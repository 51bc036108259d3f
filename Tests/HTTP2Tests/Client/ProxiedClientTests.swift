import Glibc
import Synchronization
import Testing

@testable import HTTP2

/// Requests through a real proxy on a real socket.
@Suite(.timeLimit(.minutes(3)))
struct ProxiedClientTests {
    private func client(through proxy: Proxy, to port: UInt16, host: String = "localhost") throws -> Client {
        var settings = ClientSettings()
        settings.proxy = proxy
        settings.connectTimeout = .seconds(40)
        settings.trust = .pem(try Pair.authority.get().certificatePEM)
        return try Client(origin: Origin(host: host, port: port), settings: settings)
    }

    private func send(_ client: Client) async -> RequestResult {
        await client.send(Request(path: "/x", body: [1, 2, 3]), deadline: .now + .seconds(45))
    }

    @Test func `requests travel through the tunnel, under the provider's certificate (fault 47)`() async throws {
        let server = try await Server.start(ServerSettings(identity: try Pair.identity())) {
            .answer(Response(status: 200, body: $0.body))
        }
        let proxy = try TunnelProxy(to: server.port)
        let client = try client(
            through: Proxy(host: "127.0.0.1", port: proxy.port, credentials: "anna:secret"), to: server.port)
        for _ in 0..<20 { #expect(await send(client) == .answer(Response(status: 200, body: [1, 2, 3]))) }
        #expect(
            proxy.requests == [
                "CONNECT localhost:\(server.port) HTTP/1.1\r\nHost: localhost:\(server.port)\r\n"
                    + "Proxy-Authorization: Basic YW5uYTpzZWNyZXQ=\r\n\r\n"
            ])
        await client.close()
        await server.stop()
        proxy.stop()
    }

    @Test func `the proxy looks the name up, not we`() async throws {
        let server = try await Server.start(
            ServerSettings(identity: try Pair.authority.get().issue(for: ["push.invalid"]))
        ) { _ in .answer(Response(status: 200)) }
        let proxy = try TunnelProxy(to: server.port)
        let client = try client(
            through: Proxy(host: "127.0.0.1", port: proxy.port), to: 443, host: "push.invalid")
        #expect(await send(client).status == 200)
        #expect(proxy.requests == ["CONNECT push.invalid:443 HTTP/1.1\r\nHost: push.invalid:443\r\n\r\n"])
        await client.close()
        await server.stop()
        proxy.stop()
    }

    @Test(arguments: [
        ("HTTP/1.1 407 Authenticate\r\nContent-Length: 0\r\n\r\n", "407 Authenticate"),
        ("HTTP/1.1 502 Bad Gateway\r\n\r\n", "502 Bad Gateway"),
        ("220 mail.example ESMTP\r\n\r\n", "does not speak HTTP/1"),
    ])
    func `a proxy that refuses is named, without the password`(answer: String, reason: String) async throws {
        let proxy = try TunnelProxy(to: 1, answer: answer)
        let client = try client(through: Proxy(host: "127.0.0.1", port: proxy.port, credentials: "a:secret"), to: 443)
        let expected = "https://localhost: proxy http://127.0.0.1:\(proxy.port): \(reason)"
        #expect(await send(client) == .unprocessed(.unreachable(expected)))
        await client.close()
        proxy.stop()
    }

    @Test func `a proxy that is not there is unreachable at once`() async throws {
        let proxy = try TunnelProxy(to: 1)
        proxy.stop()
        let client = try client(through: Proxy(host: "127.0.0.1", port: proxy.port), to: 443)
        #expect(
            await send(client)
                == .unprocessed(.unreachable("http://127.0.0.1:\(proxy.port): Connection refused")))
        await client.close()
    }

    @Test func `a proxy that never answers costs the connect deadline`() async throws {
        let proxy = try TunnelProxy(to: 1, answer: "")
        var settings = ClientSettings()
        settings.proxy = Proxy(host: "127.0.0.1", port: proxy.port)
        settings.connectTimeout = .milliseconds(500)
        let client = try Client(origin: Origin(host: "localhost"), settings: settings)
        #expect(
            await send(client)
                == .unprocessed(
                    .unreachable("https://localhost: proxy http://127.0.0.1:\(proxy.port): no answer")))
        await client.close()
        proxy.stop()
    }
}
