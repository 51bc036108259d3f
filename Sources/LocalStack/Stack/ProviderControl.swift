import Daemon
import HTTPClient
import Messages

/// The control port of the provider simulator: what it was asked, and what it is to answer.
public struct ProviderControl: Sendable {
    /// One request that a sender made.
    public struct Request: Equatable, Sendable {
        public let provider: String
        public let method: String
        public let path: String
        /// As they came, in their order.
        public let fields: [[String]]
        public private(set) var body: [UInt8]
        public let status: Int

        init(_ value: JSONValue) {
            provider = value["provider"]?.string ?? ""
            method = value["method"]?.string ?? ""
            path = value["path"]?.string ?? ""
            fields = (value["fields"]?.array ?? []).map { ($0.array ?? []).compactMap(\.string) }
            body = Base64.decode(value["bodyBase64"]?.string ?? "") ?? []
            status = Int(value["status"]?.integer ?? 0)
        }

        /// The same with another body.
        public func with(body: [UInt8]) -> Request {
            var copy = self
            copy.body = body
            return copy
        }

        /// The only value of a field; nil if it is absent or there are several.
        public func field(_ name: String) -> String? {
            let values = fields.filter { $0.first == name }
            return values.count == 1 ? values[0].last : nil
        }
    }

    /// One message that reached a phone.
    public struct Delivery: Equatable, Sendable {
        public let number: Int64
        public let token: String
        /// FCM gave up what it had stored and says so.
        public let isDeletedMessages: Bool
        /// As delivered, which may be less than was sent.
        public let isHigh: Bool
        /// What the app's callback gets.
        public let payload: [UInt8]

        init(_ value: JSONValue) {
            number = Int64(value["number"]?.integer ?? 0)
            token = value["token"]?.string ?? ""
            isDeletedMessages = value["kind"]?.string == "deletedMessages"
            isHigh = ["10", "HIGH"].contains(value["priority"]?.string ?? "")
            payload = value["payload"]?.encoded() ?? []
        }
    }

    public let url: String

    public init(url: String) { self.url = url }

    /// Every request so far, those for credentials included.
    public func journal() async throws -> [Request] { try await requests(after: 0).requests }

    /// The requests that came after the first `number`, and how many there were in all.
    public func requests(after number: Int) async throws -> (requests: [Request], last: Int) {
        var requests: [Request] = []
        var last = number
        while true {
            let page = try await send("GET", "/journal?after=\(last)&limit=1000").split(separator: UInt8(ascii: "\n"))
            for line in page {
                let value = try JSONValue(parsing: Array(line))
                requests.append(Request(value))
                last = Int(value["number"]?.integer ?? 0)
            }
            if page.isEmpty { return (requests, last) }
        }
    }

    /// Makes a phone's token known; without it every push to the token is refused. `app` is the bundle id or the project id.
    public func register(
        token: String, provider: String, app: String, environment: String
    ) async throws {
        let body = JSONWriter.object {
            $0.member("provider", provider)
            $0.member("app", app)
            if !environment.isEmpty { $0.member("environment", environment) }
            $0.member("online", true)
        }
        _ = try await send("POST", "/devices/\(token)", String(decoding: body, as: UTF8.self))
    }

    /// The phone can be reached from now on, or cannot.
    public func set(token: String, isOnline: Bool) async throws {
        _ = try await send("POST", "/devices/\(token)", #"{"online":\#(isOnline)}"#)
    }

    /// What reached phones after the first `number`; waits a few seconds for the first.
    public func deliveries(after number: Int64) async throws -> [Delivery] {
        try await send("GET", "/deliveries?after=\(number)&waitSeconds=5").split(separator: UInt8(ascii: "\n")).map {
            Delivery(try JSONValue(parsing: Array($0)))
        }
    }

    /// The app is gone from the phone: every push to its token is refused from now on.
    public func unregister(token: String) async throws { _ = try await send("DELETE", "/devices/\(token)") }

    /// Accepts hints from now on without ever delivering one to a phone.
    public func dropEveryHint() async throws {
        _ = try await send("POST", "/script", #"{"rules":[{"do":{"drop":true}}]}"#)
    }

    /// Replaces the simulator's script; `docs/provider-simulator.md` says what may be in it.
    public func follow(script json: String) async throws { _ = try await send("POST", "/script", json) }

    /// How many requests fitted each rule of the script so far, in its order.
    public func fitting() async throws -> [Int] {
        let answer = try JSONValue(parsing: try await send("GET", "/script"))
        return (answer["rules"]?.array ?? []).map { Int($0["seen"]?.integer ?? 0) }
    }

    private func send(_ method: String, _ path: String, _ json: String = "") async throws -> [UInt8] {
        let client = Client()
        let result: Result<HTTPClient.Response, HTTPClientError>
        do throws(HTTPClientError) {
            result = .success(try await client.send(HTTPClient.Request(method, url + path, body: Array(json.utf8))))
        } catch {
            result = .failure(error)
        }
        await client.close()
        let response = try result.get()
        guard (200..<300).contains(response.status) else {
            throw CommandFailure(.protocolError, "the simulator answered \(method) \(path) with \(response.status)")
        }
        return response.body
    }
}
