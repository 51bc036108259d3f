import HTTP2
import Testing

@Suite(.timeLimit(.minutes(3)))
struct ClientTests {
    @Test func `a request travels whole and its answer comes back whole`() async throws {
        let pair = try await Pair.start { request in
            var headers: Headers = ["apns-id": request.fields["apns-id"] ?? ""]
            headers.append("path", request.path)
            headers.append("method", request.method)
            return .answer(Response(status: 201, headers: headers, body: request.body.reversed()))
        }
        let result = await pair.client.send(
            Request(path: "/3/device/ab?c=d", headers: ["apns-id": "x1"], body: [1, 2, 3]),
            deadline: .now + .seconds(45))
        let headers: Headers = ["apns-id": "x1", "path": "/3/device/ab?c=d", "method": "POST"]
        #expect(result == .answer(Response(status: 201, headers: headers, body: [3, 2, 1])))
        await pair.stop()
    }

    @Test func `a large body fits through every window`() async throws {
        var settings = ClientSettings()
        settings.bodyLimit = 1 << 20
        let pair = try await Pair.start(settings) { .answer(Response(status: 200, body: $0.body)) }
        let body = (0..<800_000).map { UInt8(truncatingIfNeeded: $0) }
        #expect(await pair.send(body: body) == .answer(Response(status: 200, body: body)))
        await pair.stop()
    }

    @Test func `thousands of requests share one connection (fault 24)`() async throws {
        let pair = try await Pair.start { .answer(Response(status: 200, body: Array($0.path.utf8))) }
        let matched = await withTaskGroup { group in
            for index in 0..<3000 {
                group.addTask {
                    await pair.send("/\(index)") == .answer(Response(status: 200, body: Array("/\(index)".utf8)))
                }
            }
            return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        #expect(matched == 3000)
        #expect(await pair.server.accepted == 1)
        #expect(await pair.client.statistics().streamsOpen == 0)
        await pair.stop()
    }

    @Test func `a certificate of an unknown authority is not trusted`() async throws {
        let identity = try CertificateAuthority().issue()
        let server = try await Server.start(ServerSettings(identity: identity)) { _ in .never }
        let client = try Pair.client(port: server.port)
        guard case .unprocessed(.unreachable(let why)) = await client.send(Request(path: "/"), deadline: soon) else {
            Issue.record("trusted an unknown authority")
            return
        }
        #expect(why.contains("certificate"))
        await client.close()
        await server.stop()
    }

    @Test func `a certificate for another host is not trusted`() async throws {
        let identity = try Pair.authority.get().issue(for: ["elsewhere.example"])
        let server = try await Server.start(ServerSettings(identity: identity)) { _ in .never }
        let client = try Pair.client(port: server.port)
        guard case .unprocessed(.unreachable(let why)) = await client.send(Request(path: "/"), deadline: soon) else {
            Issue.record("trusted another host's certificate")
            return
        }
        #expect(why.contains("ostname mismatch"))
        await client.close()
        await server.stop()
    }

    @Test func `a closed port is unreachable at once`() async throws {
        let server = try await Server.start(ServerSettings(identity: try Pair.identity())) { _ in .never }
        let port = server.port
        await server.stop()
        let client = try Pair.client(port: port)
        let result = await client.send(Request(path: "/"), deadline: .now + .seconds(45))
        #expect(result == .unprocessed(.unreachable("https://localhost:\(port): Connection refused")))
        await client.close()
    }

    @Test func `an unknown name is unreachable`() async throws {
        var settings = ClientSettings()
        settings.connectTimeout = .seconds(40)
        let client = try Client(origin: Origin(host: "nobody.invalid"), settings: settings)
        guard case .unprocessed(.unreachable(let why)) = await client.send(Request(path: "/"), deadline: soon) else {
            Issue.record("found a host that does not exist")
            return
        }
        // A resolver that takes its time lets the connect deadline come first.
        #expect(why.hasPrefix("name nobody.invalid:") || why.hasSuffix("connecting timed out"))
        await client.close()
    }

    @Test func `trusted certificates that are not there are an error at once`() {
        var settings = ClientSettings()
        settings.trust = .file("/nonexistent.pem")
        #expect(throws: HTTP2Error.self) { try Client(origin: Origin(host: "localhost"), settings: settings) }
    }

    private var soon: ContinuousClock.Instant { .now + .seconds(45) }
}
