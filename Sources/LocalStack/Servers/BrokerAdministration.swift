import Daemon
import HTTPClient
import Messages

/// What an administrator may do to a virtual host behind the services' backs, by the management API.
public struct BrokerAdministration: Sendable {
    private let url: String
    private let virtualHost: String
    private let client = Client()

    public init(_ servers: Servers, virtualHost: String) {
        url = servers.rabbitmq.managementURL
        self.virtualHost = virtualHost
    }

    public func close() async { await client.close() }

    /// From now on the queues of a policy refuse what comes above `limit` messages; `lift` ends it.
    public func limit(_ policy: String, to limit: Int) async throws {
        try await override(policy, "max-length", limit)
    }

    /// A message of the policy's queues dies with the delivery after that many failed ones; `lift` ends it.
    public func limitDeliveries(_ policy: String, to limit: Int) async throws {
        try await override(policy, "delivery-limit", limit)
    }

    private func override(_ policy: String, _ key: String, _ limit: Int) async throws {
        let value = try JSONValue(parsing: try await send("GET", "policies/\(virtualHost)/\(policy)"))
        guard case .object(var definition)? = value["definition"], let pattern = value["pattern"]?.string else {
            throw CommandFailure(.protocolError, "the broker has no policy \(policy)")
        }
        definition[key] = .integer(Int64(limit))
        var writer = JSONWriter()
        writer.value(
            .object([
                "pattern": .string(pattern), "apply-to": .string("queues"), "priority": .integer(100),
                "definition": .object(definition),
            ]))
        try await send("PUT", "policies/\(virtualHost)/limited-\(policy)", writer.bytes)
    }

    public func lift(_ policy: String) async throws {
        try await send("DELETE", "policies/\(virtualHost)/limited-\(policy)")
    }

    public func unbind(_ queue: String, from exchange: String) async throws {
        try await send("DELETE", "bindings/\(virtualHost)/e/\(exchange)/q/\(queue)/\(queue)")
    }

    public func bind(_ queue: String, to exchange: String) async throws {
        let key = JSONWriter.object { $0.member("routing_key", queue) }
        try await send("POST", "bindings/\(virtualHost)/e/\(exchange)/q/\(queue)", key)
    }

    @discardableResult
    private func send(_ method: String, _ path: String, _ body: [UInt8] = []) async throws -> [UInt8] {
        let response = try await client.send(
            Request(
                method, "\(url)/api/\(path)", headers: [Header("content-type", "application/json")], body: body,
                timeout: .seconds(30)))
        guard (200..<300).contains(response.status) else {
            throw CommandFailure(.protocolError, "the broker answered \(method) \(path) with \(response.status)")
        }
        return response.body
    }
}
