import HTTPClient
import Testing

@Suite(.timeLimit(.minutes(1)))
struct ClientTests {
    private static let noContent = "HTTP/1.1 204 No Content\r\nContent-Length: 0\r\n\r\n"

    private func exchange(
        _ request: (String) -> Request, answer: String? = ClientTests.noContent,
        _ configuration: Configuration = .init()
    ) async -> (result: Result<Response, HTTPClientError>, asked: [String]) {
        let server = ScriptedServer(answer: answer)
        let client = Client(configuration)
        let result: Result<Response, HTTPClientError>
        do { result = .success(try await client.send(request(server.url))) } catch { result = .failure(error) }
        await client.close()
        server.stop()
        return (result, server.requests)
    }

    private func kind(_ result: Result<Response, HTTPClientError>) -> HTTPClientError.Kind? {
        if case .failure(let error) = result { error.kind } else { nil }
    }

    @Test func `status, headers and body of an answer arrive`() async throws {
        let answer = "HTTP/1.1 503 Busy\r\nRetry-After: 7\r\nX-Empty:\r\nContent-Length: 3\r\n\r\nabc"
        let response = try await exchange({ Request("GET", "\($0)/x") }, answer: answer).result.get()
        #expect(response.status == 503)
        #expect(response.headers.value(of: "retry-after") == "7")
        #expect(response.headers.value(of: "x-empty") == "")
        #expect(response.text == "abc")
        #expect(response.version == "1.1")
    }

    @Test(arguments: ["POST", "PUT", "PATCH", "DELETE"])
    func `a body is sent whole with the method and headers that were given`(method: String) async {
        let asked = await exchange {
            Request(
                method, "\($0)/a%2Fb?c=d", headers: [Header("Content-Type", "application/json")], body: Array("{}".utf8)
            )
        }.asked
        #expect(asked.first?.hasPrefix("\(method) /a%2Fb?c=d HTTP/1.1\r\n") == true)
        #expect(asked.first?.contains("\r\nContent-Type: application/json\r\n") == true)
        #expect(asked.first?.hasSuffix("\r\n\r\n{}") == true)
    }

    @Test func `a POST without a body says so and claims no content type`() async {
        let asked = await exchange { Request("POST", $0) }.asked
        #expect(asked.first?.contains("Content-Length: 0\r\n") == true)
        #expect(asked.first?.contains("Content-Type") == false)
    }

    @Test func `a redirect is an answer and not followed`() async throws {
        let answer = "HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:1/\r\nContent-Length: 0\r\n\r\n"
        #expect(try await exchange({ Request("GET", $0) }, answer: answer).result.get().status == 302)
    }

    @Test func `user and password of the address become basic authentication`() async {
        let asked = await exchange {
            Request("GET", $0.replacingScheme(with: "http://guest:secret@"))
        }.asked
        #expect(asked.first?.contains("Authorization: Basic Z3Vlc3Q6c2VjcmV0\r\n") == true)
    }

    @Test func `basic and bearer headers are built`() {
        #expect(Header.basic(user: "guest", password: "guest").value == "Basic Z3Vlc3Q6Z3Vlc3Q=")
        #expect(Header.bearer("t").value == "Bearer t")
    }

    @Test func `silence ends at the request's timeout`() async {
        let result = await exchange({ Request("GET", $0, timeout: .milliseconds(80)) }, answer: nil).result
        #expect(kind(result) == .timedOut)
    }

    @Test func `an answer over the cap is refused`() async {
        var configuration = Configuration()
        configuration.maximumBodySize = 2
        let answer = "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nabc"
        #expect(kind(await exchange({ Request("GET", $0) }, answer: answer, configuration).result) == .bodyTooLarge)
    }

    @Test func `a connection that breaks within the answer is an error`() async {
        let answer = "HTTP/1.1 200 OK\r\nContent-Length: 30\r\n\r\nabc"
        #expect(kind(await exchange({ Request("GET", $0) }, answer: answer).result) == .broken)
    }

    @Test func `a closed port is unreachable and the line hides the password`() async {
        let result = await exchange { _ in Request("GET", "http://u:geheim@127.0.0.1:1/x?token=geheim") }.result
        guard case .failure(let error) = result else {
            Issue.record("answered")
            return
        }
        // On a machine that hardly gets to run, the deadline may come first.
        #expect(error.kind == .unreachable || error.kind == .timedOut)
        #expect(error.description.hasPrefix("GET http://127.0.0.1:1/x: "))
        #expect(!error.description.contains("geheim"))
    }

    @Test(arguments: ["ftp://127.0.0.1/", "not an address", "http://127.0.0.1:99999/"])
    func `an address that is not http is refused`(url: String) async {
        #expect(kind(await exchange { _ in Request("GET", url) }.result) == .invalidRequest)
    }

    @Test func `a header with a line break is refused`() async {
        let result = await exchange { Request("GET", $0, headers: [Header("X", "a\r\nY: b")]) }.result
        #expect(kind(result) == .invalidRequest)
    }

    @Test func `cancelling the task ends the request`() async {
        let server = ScriptedServer(answer: nil)
        let client = Client()
        let task = Task {
            await Result { () async throws(HTTPClientError) in try await client.send(Request("GET", server.url)) }
        }
        task.cancel()
        #expect(kind(await task.value) == .cancelled)
        await client.close()
        server.stop()
    }

    @Test func `closing the client ends open requests and refuses later ones`() async {
        let server = ScriptedServer(answer: nil)
        let client = Client()
        let open = Task {
            await Result { () async throws(HTTPClientError) in try await client.send(Request("GET", server.url)) }
        }
        while server.requests.isEmpty { await Task.yield() }
        await client.close()
        #expect(kind(await open.value) == .closed)
        #expect(
            kind(await Result { () async throws(HTTPClientError) in try await client.send(Request("GET", server.url)) })
                == .closed)
        server.stop()
    }

    @Test func `many requests run at once`() async {
        let server = ScriptedServer(answer: Self.noContent)
        let client = Client()
        let answered = await withTaskGroup(of: Int.self) { group in
            for _ in 0..<100 {
                group.addTask { (try? await client.send(Request("GET", server.url)))?.status ?? 0 }
            }
            return await group.reduce(into: 0) { $0 += $1 == 204 ? 1 : 0 }
        }
        #expect(answered == 100)
        await client.close()
        server.stop()
    }
}

extension Result where Success: Sendable, Failure == HTTPClientError {
    fileprivate init(_ body: () async throws(HTTPClientError) -> Success) async {
        do { self = .success(try await body()) } catch { self = .failure(error) }
    }
}

extension String {
    fileprivate func replacingScheme(with prefix: String) -> String { prefix + dropFirst("http://".count) }
}
