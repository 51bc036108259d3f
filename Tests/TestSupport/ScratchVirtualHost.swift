import HTTPClient
import LocalStack

/// A virtual host that one test has for itself.
public struct ScratchVirtualHost: Sendable {
    public let name: String
    private let amqp: ServerAddress
    private let management: ServerAddress

    /// As administrator.
    public var amqpURL: String { amqp.with(path: name) }

    /// As another user, who needs permissions in this virtual host.
    public func amqpURL(user: String, password: String) -> String {
        amqp.with(credentials: "\(user):\(password)", path: name)
    }

    /// Root of the management API, with name and password, without a slash at the end.
    public var managementURL: String { String(management.with(path: "").dropLast()) }

    fileprivate init() throws {
        amqp = ServerAddress(try TestServers.amqpURL)
        management = ServerAddress(try TestServers.managementURL)
        name = "md-test-\(String(UInt64.random(in: .min ... .max), radix: 36))"
    }

    fileprivate var administrator: String { String(management.credentials.prefix { $0 != ":" }) }
}

/// Runs `body` with a virtual host of its own, empty or with the exchanges, queues, bindings and policies of
/// `topology/definitions.json`, and deletes it afterwards. `queues` are made besides, for example route queues: quorum
/// queues bound to `hints` with their own name.
public func withScratchVirtualHost<Result>(
    topology: Bool = true, routes: [String] = [], _ body: (ScratchVirtualHost) async throws -> Result
) async throws -> Result {
    let host = try ScratchVirtualHost()
    let management = ManagementAPI(url: host.managementURL)
    try await management.put("/api/vhosts/\(host.name)")
    let outcome: Swift.Result<Result, any Error>
    do {
        try await management.put(
            "/api/permissions/\(host.name)/\(host.administrator)", #"{"configure":".*","write":".*","read":".*"}"#)
        if topology { try await management.declareTopology(in: host.name, routes: routes) }
        outcome = .success(try await body(host))
    } catch {
        outcome = .failure(error)
    }
    try await management.delete("/api/vhosts/\(host.name)")
    await management.close()
    return try outcome.get()
}
