import Cryptography
import Daemon
import Delivery
import HTTPServer
import Messages
import Synchronization

@testable import DeviceGateway

/// A gateway without its socket: requests go straight to the front, statements to a real database.
struct Desk {
    let world: World
    let front: Front
    let acks: RecordedAcks
    let vault: TokenVault

    func answer(_ request: Request) async -> Response { await front.answer(request) }

    /// Signed by a phone; JSON given as bytes.
    func call(
        _ phone: Phone, _ method: String, _ target: String, _ body: [UInt8] = [], headers: Headers = [:]
    ) async -> Response {
        await front.answer(phone.signed(method, target, body, headers: headers))
    }

    func produce(_ method: String, _ target: String, _ body: [UInt8] = []) async -> Response {
        var headers: Headers = ["Authorization": "Bearer \(Self.secret)"]
        if !body.isEmpty { headers.add("Content-Type", "application/json") }
        return await front.answer(Request(method: method, target: target, headers: headers, body: body))
    }

    static let secret = "producer-secret"
}

/// Stands in for the broker: keeps what was published, confirms as told.
final class RecordedAcks: AckPublishing {
    private struct State {
        var acks: [DeviceAck] = []
        var confirms = true
    }

    private let state = Mutex(State())

    var all: [DeviceAck] { state.withLock { $0.acks } }

    func refuse() { state.withLock { $0.confirms = false } }

    func publish(_ ack: DeviceAck) async -> Bool {
        state.withLock { state in
            state.acks.append(ack)
            return state.confirms
        }
    }
}

func withDesk<Result>(
    _ change: (inout DeviceGateway.Configuration) -> Void = { _ in }, _ body: (Desk) async throws -> Result
) async throws -> Result {
    try await withWorld { world in
        var settings = DeviceGateway.Configuration()
        settings.databaseTimeout = .seconds(30)
        change(&settings)
        let vault = TokenVault(keys: try TokenKeys(json: TokenKeys.random()))
        let acks = RecordedAcks()
        let store = GatewayStore(database: world.gateway, limit: settings.databaseTimeout)
        let front = Front(
            device: DeviceAPI(store: store, vault: vault, acks: acks, settings: settings),
            producer: ProducerAPI(
                store: store, credentials: try testCredentials(), ticketLifetime: settings.ticketLifetime),
            metrics: GatewayMetrics(metrics: Metrics()))
        return try await body(Desk(world: world, front: front, acks: acks, vault: vault))
    }
}

/// One that may everything, one that may only look.
func testCredentials() throws -> ProducerCredentials {
    let all = Scope.allCases.map { "\"\($0.rawValue)\"" }.joined(separator: ",")
    let digests = [Desk.secret, "reader-secret"].map { Hex.encode(Digest.sha256(Array($0.utf8))) }
    let json = """
        {"credentials":[{"name":"all","sha256":"\(digests[0])","scopes":[\(all)]},
                        {"name":"reader","sha256":"\(digests[1])","scopes":["status"]}]}
        """
    return try ProducerCredentials(json: Array(json.utf8))
}

extension Response {
    var problem: DeviceAPIProblem? { try? DeviceAPIProblem(decoding: body) }
    /// The last part of the problem's type.
    var problemName: String? {
        guard let type = (try? JSONValue(parsing: body))?["type"]?.string else { return nil }
        return String(type.dropFirst(DeviceAPIProblem.typePrefix.count))
    }
    var text: String { String(decoding: body, as: UTF8.self) }
}
