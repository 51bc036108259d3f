import AMQP
import Cryptography
import HTTPClient
import HTTPServer
import LocalStack
import Postgres
import TestSupport
import Testing

@testable import DeviceGateway

/// Several gateways over one database and one broker, each behind a network that can lose what it carries.
struct LossyGateways {
    struct Way: Sendable {
        let client: HTTPClient.Client
        let proxy: TCPProxy
        var url: String { "http://127.0.0.1:\(proxy.port)" }

        func send(_ request: HTTPServer.Request, by client: HTTPClient.Client? = nil) async throws
            -> HTTPClient.Response
        {
            let headers = request.headers.fields.map { Header($0.name, $0.value) }
            return try await (client ?? self.client).send(
                HTTPClient.Request(
                    request.method, url + request.target, headers: headers, body: request.body, timeout: .seconds(60)))
        }
    }

    static let count = 3

    let world: World
    let brokerURL: String
    let ways: [Way]

    /// Sends through every gateway at once and loses each answer once it was made; then again through every gateway, and
    /// returns what those answered. `request` makes it for a gateway's address.
    func replayed(_ request: @escaping @Sendable (String) -> HTTPServer.Request) async throws -> [HTTPClient.Response] {
        let lost = try await withThrowingTaskGroup(of: Bool.self) { group in
            for way in ways { group.addTask { try await isLost(request(way.url), on: way) } }
            return try await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
        }
        #expect(lost == ways.count)
        var answers: [HTTPClient.Response] = []
        for way in ways { answers.append(try await way.send(request(way.url))) }
        return answers
    }

    /// A client of its own: one that has connections already would ask again by itself.
    private func isLost(_ request: HTTPServer.Request, on way: Way) async throws -> Bool {
        way.proxy.freeze([.toClient])
        let client = HTTPClient.Client()
        let call = Task { try await way.send(request, by: client) }
        let isMade = try await eventually(within: .seconds(30)) { way.proxy.isHolding(.toClient) }
        way.proxy.cut()
        let answer = try? await call.value
        way.proxy.thaw()
        await client.close()
        return isMade && answer == nil
    }

    static func with(_ body: (LossyGateways) async throws -> Void) async throws {
        try await withWorld { world in
            try await withScratchVirtualHost { host in
                let keys = try TokenKeys(json: TokenKeys.random())
                try await add(to: [], world, host.amqpURL, keys, body)
            }
        }
    }

    private static func add(
        to ways: [Way], _ world: World, _ broker: String, _ keys: TokenKeys,
        _ body: (LossyGateways) async throws -> Void
    ) async throws {
        guard ways.count < count else {
            return try await body(LossyGateways(world: world, brokerURL: broker, ways: ways))
        }
        try await withService(
            database: world.gateway.settings, broker: broker, tokenKeys: keys, change: { $0.databaseConnections = 2 }
        ) { service in
            let proxy = TCPProxy(to: service.url)
            defer { proxy.stop() }
            try await add(to: ways + [Way(client: service.client, proxy: proxy)], world, broker, keys, body)
        }
    }
}
