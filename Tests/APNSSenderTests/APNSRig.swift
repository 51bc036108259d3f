import AMQP
import Cryptography
import Daemon
import Delivery
import FoundationEssentials
import HTTP2
import LocalStack
import Messages
import Sending
import Synchronization
import TestSupport
import Testing
import TokenSigning

@testable import APNSSender

/// A whole APNs sender between a real broker and a server that answers as the test says.
final class APNSRig: Sendable {
    static let route = Route(provider: .apns, environment: "production", app: "cheqi")
    static let other = Route(provider: .apns, environment: "production", app: "other")

    let broker: SenderBroker
    let metrics = Metrics()
    let readiness = Readiness()
    private let vault: TokenVault
    private let seen = Mutex<[ReceivedRequest]>([])
    private let shutdown = Shutdown()

    /// Requests for hints; probes of the credential (they have no `apns-id`) are counted apart.
    var requests: [ReceivedRequest] { seen.withLock { $0.filter { $0.fields["apns-id"] != nil } } }
    var probes: Int { seen.withLock { $0.count { $0.fields["apns-id"] == nil } } }

    private init(_ broker: SenderBroker) throws {
        self.broker = broker
        vault = TokenVault(keys: try TokenKeys(json: TokenKeys.random()))
    }

    func stop() { shutdown.request() }

    func hint(
        token: String = "00ff", seq: Int = 1, life: Int = 1, entry: Identifier = .random(),
        route: Route = APNSRig.route,
        publishedAt: Int64? = nil, deadline: Int64? = nil
    ) -> Hint {
        let now = Instant.now()
        let device = Identifier.random()
        let subject = TokenSubject(
            device: device.bytes, provider: "apns", app: route.app, environment: route.environment)
        let sealed = vault.seal(token, for: subject)
        return Hint(
            entry: entry, seq: seq, life: life, publishedAt: publishedAt ?? now, deadline: deadline ?? now + 120_000,
            job: .random(), documentType: .receipt, route: route, device: device,
            token: Hint.SealedToken(kind: .token, sealed: sealed.bytes, key: sealed.keyID),
            fingerprint: Fingerprint(bytes: vault.fingerprint(of: token).bytes)!, registeredAt: now - 1000,
            expiresAt: now + 3_600_000)
    }

    /// Answers credential probes well, and hints with `answer`.
    static func run(
        _ adjust: (inout SendingSettings) -> Void = { _ in }, proxy: TCPProxy? = nil,
        reachable: Bool = true, probe: @escaping @Sendable () -> Reply = { .apns(400, "BadDeviceToken") },
        answer: @escaping @Sendable (ReceivedRequest) -> Reply, _ body: (APNSRig) async throws -> Void
    ) async throws {
        let authority = try CertificateAuthority()
        try await withSenderBroker([route, other]) { broker in
            let rig = try APNSRig(broker)
            let server = try await Server.start(ServerSettings(identity: authority.issue())) { request in
                rig.seen.withLock { $0.append(request) }
                return request.fields["apns-id"] == nil ? probe() : answer(request)
            }
            if !reachable { await server.stop() }
            var configuration = APNSSender.Configuration()
            configuration.production = HTTP2.Origin(host: "localhost", port: server.port)
            configuration.client.trust = .pem(authority.certificatePEM)
            configuration.sending.pauseFirst = .milliseconds(200)
            adjust(&configuration.sending)
            let apps = try AppsFile(json: Array(apps().utf8), path: "apps.json") { _ in true }
            let courier = try APNSCourier(configuration, apps: apps, routes: [route, other], metrics: rig.metrics)
            let url = proxy.map { $0.url(broker.url) } ?? broker.url
            let service = SenderService(
                name: "apns-sender", routes: [route, other], broker: try ConnectionSettings(url: url),
                vault: rig.vault, courier: courier, settings: configuration.sending, instance: "test",
                metrics: rig.metrics, readiness: rig.readiness)
            let running = Task {
                try await Shutdown.$current.withValue(rig.shutdown) { try await service.run() }
            }
            do { try await body(rig) } catch { Issue.record(error) }
            rig.stop()
            try await running.value
            await server.stop()
        }
    }

    private static func apps() throws -> String {
        let path = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID()).p8").path
        let key = try PrivateKey.generate(.es256).pem
        #expect(FileManager.default.createFile(atPath: path, contents: Data(key.utf8)))
        let apns = #"{"bundleId":"nl.cheqi.app","teamId":"DEF123GHIJ","keyId":"ABC123DEFG","keyFile":"\#(path)"}"#
        return #"{"apps":[{"name":"cheqi","apns":\#(apns)},{"name":"other","apns":\#(apns)}]}"#
    }
}

extension Reply {
    static func apns(_ status: Int, _ reason: String, timestamp: Int64? = nil, headers: HTTP2.Headers = [:]) -> Reply {
        let time = timestamp.map { ",\"timestamp\":\($0)" } ?? ""
        return .answer(
            Response(status: status, headers: headers, body: Array("{\"reason\":\"\(reason)\"\(time)}".utf8)))
    }

    static let accepted = Reply.answer(Response(status: 200))
}
