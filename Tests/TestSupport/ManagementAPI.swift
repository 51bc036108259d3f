import FoundationEssentials
import HTTPClient

/// RabbitMQ's management API, as far as tests use it.
public struct ManagementAPI: Sendable {
    private let client = Client()
    private let url: String

    public init(url: String) { self.url = url }

    public func close() async { await client.close() }

    @discardableResult
    public func get(_ path: String) async throws -> [UInt8] { try await send("GET", path, nil) }

    public func put(_ path: String, _ json: String = "{}") async throws { try await send("PUT", path, json) }

    public func post(_ path: String, _ json: String) async throws { try await send("POST", path, json) }

    public func delete(_ path: String) async throws { try await send("DELETE", path, nil) }

    /// Loads `topology/definitions.json` into a virtual host, and a quorum queue for each of `routes`.
    func declareTopology(in virtualHost: String, routes: [String]) async throws {
        try await post("/api/definitions/\(virtualHost)", try Repository.text("topology/definitions.json"))
        for queue in routes {
            try await put(
                "/api/queues/\(virtualHost)/\(queue)", #"{"durable":true,"arguments":{"x-queue-type":"quorum"}}"#)
            try await post("/api/bindings/\(virtualHost)/e/hints/q/\(queue)", #"{"routing_key":"\#(queue)"}"#)
        }
    }

    @discardableResult
    private func send(_ method: String, _ path: String, _ json: String?) async throws -> [UInt8] {
        let headers = json == nil ? [] : [Header("content-type", "application/json")]
        let request = Request(
            method, url + path, headers: headers, body: Array((json ?? "").utf8), timeout: .seconds(60))
        let response = try await client.send(request)
        guard (200..<300).contains(response.status) else {
            throw ManagementError(description: "\(method) \(path): \(response.status) \(response.text)")
        }
        return response.body
    }
}

/// What the broker refused.
public struct ManagementError: Error, CustomStringConvertible {
    public let description: String
}
