import AMQP
import Cryptography
import Daemon
import HTTPClient
import HTTPServer
import Messages
import Postgres
import Testing

@testable import DeviceGateway

/// A whole gateway on its sockets, as a process runs it, and a client.
struct RunningGateway {
    let url: String
    let client: HTTPClient.Client
    let context: DaemonContext

    var port: UInt16 { UInt16(url.split(separator: ":").last ?? "") ?? 0 }

    func send(_ request: HTTPServer.Request) async throws -> HTTPClient.Response {
        let headers = request.headers.fields.map { Header($0.name, $0.value) }
        return try await client.send(
            HTTPClient.Request(request.method, url + request.target, headers: headers, body: request.body))
    }
}

func withService<Result>(
    database: Postgres.ConnectionSettings, broker: String, limit: Duration = .seconds(30),
    tokenKeys: TokenKeys? = nil, change: (inout DeviceGateway.Configuration) -> Void = { _ in },
    _ body: (RunningGateway) async throws -> Result
) async throws -> Result {
    var settings = DeviceGateway.Configuration()
    settings.databaseTimeout = limit
    settings.confirmTimeout = limit
    change(&settings)
    let context = DaemonContext(environment: EnvironmentReader([:]), instance: "test")
    let (addresses, listening) = AsyncStream.makeStream(of: Address.self)
    let services = GatewayServices.make(
        settings, database: database, broker: try AMQP.ConnectionSettings(url: broker),
        tokenKeys: try tokenKeys ?? TokenKeys(json: TokenKeys.random()), credentials: try testCredentials(),
        context: context
    ) { listening.yield($0) }
    let shutdown = Shutdown()
    let group = Task { try await ServiceGroup(services).run(until: shutdown) }
    var iterator = addresses.makeAsyncIterator()
    let address = try #require(await iterator.next())
    let client = HTTPClient.Client()
    let outcome: Swift.Result<Result, any Error>
    do {
        outcome = .success(
            try await body(RunningGateway(url: "http://\(address)", client: client, context: context)))
    } catch {
        outcome = .failure(error)
    }
    await client.close()
    shutdown.request()
    try await group.value
    return try outcome.get()
}

extension Phone {
    /// Signed for the authority of a URL, as a client will send it.
    func signedForWire(_ url: String, _ method: String, _ target: String, _ body: [UInt8] = []) -> HTTPServer.Request {
        let authority = String(url.dropFirst("http://".count))
        return signed(method, target, body, authority: authority)
    }
}
