import Glibc
import HTTP2
import Testing

/// Other people's programs against ours.
@Suite(.timeLimit(.minutes(1)))
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

    private func withAuthorityFile<Result>(_ body: (String) async throws -> Result) async throws -> Result {
        var path = Array("/tmp/mobile-delivery-ca-XXXXXX".utf8CString)
        let descriptor = mkstemp(&path)
        let text = Array(try Pair.authority.get().certificatePEM.utf8)
        #expect(write(descriptor, text, text.count) == text.count)
        close(descriptor)
        let name = String(decoding: path.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        defer { unlink(name) }
        return try await body(name)
    }

    @Test func `curl speaks HTTP 2 to the server`() async throws {
        let server = try await Server.start(ServerSettings(identity: try Pair.identity())) { request in
            .answer(Response(status: 200, headers: ["x-path": request.path], body: request.body))
        }
        let output = try await withAuthorityFile { authority in
            await shell(
                "curl -s --max-time 20 --http2 --cacert \(authority) -d hello -w ' %{http_version} %{http_code}'"
                    + " https://localhost:\(server.port)/x")
        }
        #expect(output == "hello 2 200")
        await server.stop()
    }

    @Test func `curl without HTTP 2 is refused unless someone serves it`() async throws {
        let server = try await Server.start(ServerSettings(identity: try Pair.identity())) { _ in .never }
        let output = try await withAuthorityFile { authority in
            await shell(
                "curl -s --max-time 20 --http1.1 --cacert \(authority) -w '%{http_code}' https://localhost:\(server.port)/"
            )
        }
        #expect(output == "000")
        await server.stop()
    }

    @Test func `HTTP 1 clients are joined with the server behind`() async throws {
        let behind = try await PlainEcho.start()
        var settings = ServerSettings(identity: try Pair.identity())
        settings.http1 = { ServerSettings.loopback(port: behind.port) }
        let server = try await Server.start(settings) { _ in .never }
        let output = try await withAuthorityFile { authority in
            await shell(
                "curl -s --max-time 20 --http1.1 --cacert \(authority) -w ' %{http_version}' "
                    + "https://localhost:\(server.port)/")
        }
        #expect(output == "plain 1.1")
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
private struct PlainEcho {
    let port: UInt16

    static func start() async throws -> PlainEcho {
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let port = withUnsafeMutableBytes(of: &address) { raw in
            let pointer = raw.baseAddress!.assumingMemoryBound(to: sockaddr.self)
            bind(listener, pointer, length)
            listen(listener, 4)
            getsockname(listener, pointer, &length)
            return UInt16(raw[2]) << 8 | UInt16(raw[3])
        }
        var thread = pthread_t()
        let context = UnsafeMutableRawPointer(bitPattern: Int(listener))
        pthread_create(
            &thread, nil,
            { context in
                let listener = Int32(Int(bitPattern: context))
                let connection = accept(listener, nil, nil)
                var buffer = [UInt8](repeating: 0, count: 4096)
                _ = read(connection, &buffer, buffer.count)
                let answer = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nConnection: close\r\n\r\nplain"
                _ = write(connection, answer, answer.utf8.count)
                close(connection)
                close(listener)
                return nil
            }, context)
        pthread_detach(thread)
        return PlainEcho(port: port)
    }
}
