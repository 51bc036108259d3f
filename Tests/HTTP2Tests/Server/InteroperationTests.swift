import FoundationEssentials
import Glibc
import HTTP2
import Testing

/// Other people's programs against ours.
@Suite(.timeLimit(.minutes(4)))
struct InteroperationTests {
    /// Runs a shell command and returns what it printed.
    @concurrent
    private func shell(_ command: String) async -> String {
        guard let stream = popen(command, "r") else { return "" }
        defer { pclose(stream) }
        var output: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4096)
        while true {
            let count = fread(&buffer, 1, buffer.count, stream)
            if count == 0 { break }
            output.append(contentsOf: buffer[..<count])
        }
        return String(decoding: output, as: UTF8.self)
    }

    private func curl(_ options: String, _ server: Server) async throws -> String {
        let authority = try ScratchFile(try Pair.authority.get().certificatePEM)
        return await shell(
            "curl -s --max-time 60 --cacert \(authority.path) \(options) https://localhost:\(server.port)/x")
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

    @Test func `HTTP 1 clients are joined with the server behind`() async throws {
        var settings = ServerSettings(identity: try Pair.identity())
        settings.http1 = { PlainServer.connect() }
        let server = try await Server.start(settings) { _ in .never }
        #expect(try await curl("--http1.1 -w ' %{http_version}'", server) == "plain 1.1")
        await server.stop()
    }

    @Test func `h2load finds no failed request`() async throws {
        let server = try await Server.start(ServerSettings(identity: try Pair.identity())) { _ in
            .answer(Response(status: 200))
        }
        let output = await shell("h2load -n 2000 -c 2 -m 50 https://127.0.0.1:\(server.port)/ 2>&1")
        #expect(output.contains("2000 succeeded, 0 failed, 0 errored"))
        await server.stop()
    }
}

/// The smallest HTTP/1.1 server: one thread, one answer, one connection.
private enum PlainServer {
    /// The client's end.
    static func connect() -> Int32? {
        var ends: [Int32] = [-1, -1]
        guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0 else { return nil }
        _ = fcntl(ends[0], F_SETFL, O_NONBLOCK)
        var thread = pthread_t()
        pthread_create(
            &thread, nil,
            { context in
                let connection = Int32(Int(bitPattern: context))
                var buffer = [UInt8](repeating: 0, count: 4096)
                _ = read(connection, &buffer, buffer.count)
                let answer = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nConnection: close\r\n\r\nplain"
                _ = write(connection, answer, answer.utf8.count)
                close(connection)
                return nil
            }, UnsafeMutableRawPointer(bitPattern: Int(ends[1])))
        pthread_detach(thread)
        return ends[0]
    }
}
