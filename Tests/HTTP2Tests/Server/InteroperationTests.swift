import HTTP2
import TestSupport
import Testing

/// Other people's programs against ours.
@Suite(.timeLimit(.minutes(4)))
struct InteroperationTests {
    private func curl(_ options: String, _ server: Server) async throws -> String {
        let authority = ScratchFile(try Pair.authority.get().certificatePEM)
        return try await ShellCommand.output(
            of: "curl -s --max-time 60 --cacert \(authority.path) \(options) https://localhost:\(server.port)/x")
    }

    @Test func `curl speaks HTTP 2 to the server`() async throws {
        let server = try await Server.start(ServerSettings(identity: try Pair.identity())) { request in
            .answer(Response(status: 200, headers: ["x-path": request.path], body: request.body))
        }
        #expect(try await curl("--http2 -d hello -w ' %{http_version} %{http_code}'", server) == "hello 2 200")
        await server.stop()
    }

    @Test func `curl without HTTP 2 is refused unless someone serves it`() async throws {
        let server = try await Server.start(ServerSettings(identity: try Pair.identity())) { _ in .never }
        #expect(try await curl("--http1.1 -w '%{http_code}'", server) == "000")
        await server.stop()
    }

    @Test func `clients of HTTP 1 point 1 are served if they may be, one request after the other`() async throws {
        var settings = ServerSettings(identity: try Pair.identity())
        settings.allowsHTTP1 = true
        let server = try await Server.start(settings) { request in
            .answer(Response(status: 200, body: Array("\(request.stream)".utf8) + request.body))
        }
        let url = "https://localhost:\(server.port)/"
        #expect(
            try await curl("--http1.1 -d hello -w ' %{http_version} ' \(url)", server) == "1hello 1.1 2hello 1.1 ")
        await server.stop()
    }

    @Test func `h2load finds no failed request`() async throws {
        let server = try await Server.start(ServerSettings(identity: try Pair.identity())) { _ in
            .answer(Response(status: 200))
        }
        let output = try await ShellCommand.output(
            of: "h2load -n 2000 -c 2 -m 50 https://127.0.0.1:\(server.port)/ 2>&1")
        #expect(output.contains("2000 succeeded, 0 failed, 0 errored"))
        await server.stop()
    }
}
