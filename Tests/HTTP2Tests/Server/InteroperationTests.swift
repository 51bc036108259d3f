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

    @Test func `the client speaks to nghttpd`() async throws {
        let identity = try Pair.identity()
        let key = try ScratchFile(identity.privateKeyPEM)
        let certificate = try ScratchFile(identity.certificatePEM)
        // A port that was free a moment ago.
        let reserved = try await Server.start(ServerSettings(identity: identity)) { _ in .never }
        let port = reserved.port
        await reserved.stop()
        let program = try ChildProgram([
            "nghttpd", "--echo-upload", "-a", "127.0.0.1", "\(port)", key.path, certificate.path,
        ])
        defer { program.end() }
        let client = try Pair.client(port: port)
        let hello = Request(path: "/", body: Array("hello".utf8))
        var result = await client.send(hello, deadline: .now + .seconds(45))
        while case .unprocessed(.unreachable) = result {
            result = await client.send(hello, deadline: .now + .seconds(45))
        }
        #expect(result.status == 200)
        let statuses = await withTaskGroup { group in
            for _ in 0..<500 { group.addTask { await client.send(hello, deadline: .now + .seconds(45)).status } }
            return await group.reduce(into: Set<Int?>()) { $0.insert($1) }
        }
        #expect(statuses == [200])
        await client.close()
    }
}

/// A file of the private temporary folder that lives as long as this value.
private final class ScratchFile {
    let path: String

    init(_ text: String) throws {
        let folder = FileManager.default.temporaryDirectory.path
        var name = Array("\(folder)/mobile-delivery-XXXXXX".utf8CString)
        let descriptor = mkstemp(&name)
        path = String(decoding: name.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        let bytes = Array(text.utf8)
        #expect(write(descriptor, bytes, bytes.count) == bytes.count)
        close(descriptor)
    }

    deinit { unlink(path) }
}

/// A program that runs until `end()`.
private struct ChildProgram {
    private let process: pid_t

    init(_ words: [String]) throws {
        var arguments = words.map { strdup($0) } + [nil]
        defer { arguments.forEach { free($0) } }
        var process = pid_t()
        let failure = posix_spawnp(&process, words[0], nil, nil, &arguments, environ)
        try #require(failure == 0, "\(words[0]) is missing: install nghttp2-server")
        self.process = process
    }

    func end() {
        // The child inherits our threads' blocked signals: nothing gentler arrives.
        kill(process, SIGKILL)
        var status: Int32 = 0
        waitpid(process, &status, 0)
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
