import AMQP
import Cryptography
import Daemon
import Delivery
import FoundationEssentials
import HTTP2
import Messages
import Sending
import Synchronization
import TestSupport
import Testing
import TokenSigning

@testable import FCMSender

/// A whole FCM sender between a real broker and a server that is FCM and token endpoint at once, as the test says.
final class FCMRig: Sendable {
    static let route = Route(provider: .fcm, environment: "", app: "cheqi")

    let broker: SenderBroker
    let metrics = Metrics()
    private let vault: TokenVault
    private let seen = Mutex<[ReceivedRequest]>([])
    private let shutdown = Shutdown()
    let key: PrivateKey
    private let account = Mutex((file: "", port: 0))

    /// Messages; those that FCM shall only validate are counted apart.
    var requests: [ReceivedRequest] {
        seen.withLock { $0.filter { $0.path.hasSuffix("messages:send") && !$0.text.contains("validate_only") } }
    }
    var probes: Int { seen.withLock { $0.count { $0.text.contains("validate_only") } } }
    var tokenRequests: [ReceivedRequest] { seen.withLock { $0.filter { $0.path == "/token" } } }

    private init(_ broker: SenderBroker) throws {
        self.broker = broker
        vault = TokenVault(keys: try TokenKeys(json: TokenKeys.random()))
        key = try PrivateKey.generate(.rs256)
    }

    func stop() { shutdown.request() }

    func hint(kind: TokenKind = .token, token: String = "fcm:token") -> Hint {
        let now = Instant.now()
        let device = Identifier.random()
        let subject = TokenSubject(device: device.bytes, provider: "fcm", app: "cheqi", environment: "")
        let sealed = vault.seal(token, for: subject)
        return Hint(
            entry: .random(), seq: 1, life: 1, publishedAt: now, deadline: now + 120_000, job: .random(),
            documentType: .receipt, route: Self.route, device: device,
            token: Hint.SealedToken(kind: kind, sealed: sealed.bytes, key: sealed.keyID),
            fingerprint: Fingerprint(bytes: vault.fingerprint(of: token).bytes)!, registeredAt: now - 1000,
            expiresAt: now + 3_600_000)
    }

    /// `endpoint` answers the n-th request for an access token, counted from 1; `answer` the messages.
    static func run(
        _ adjust: (inout SendingSettings) -> Void = { _ in },
        endpoint: @escaping @Sendable (Int) -> Reply = { .token("access-\($0)") },
        probe: @escaping @Sendable () -> Reply = { .fcm(400, "INVALID_ARGUMENT", field: "message.token") },
        answer: @escaping @Sendable (ReceivedRequest) -> Reply, _ body: (FCMRig) async throws -> Void
    ) async throws {
        let authority = try CertificateAuthority()
        let caFile = try file(authority.certificatePEM)
        try await withSenderBroker([route]) { broker in
            let rig = try FCMRig(broker)
            let server = try await Server.start(ServerSettings(identity: authority.issue())) { request in
                rig.seen.withLock { $0.append(request) }
                if request.path == "/token" { return endpoint(rig.tokenRequests.count) }
                return request.text.contains("validate_only") ? probe() : answer(request)
            }
            var configuration = FCMSender.Configuration()
            configuration.origin = HTTP2.Origin(host: "localhost", port: server.port)
            configuration.caFile = caFile
            configuration.client.trust = .file(caFile)
            configuration.sending.pauseFirst = .milliseconds(200)
            adjust(&configuration.sending)
            let account = try file(accountJSON(rig.key, id: "k1", port: Int(server.port)))
            rig.account.withLock { $0 = (account, Int(server.port)) }
            let apps = try AppsFile(
                json: Array(
                    #"{"apps":[{"name":"cheqi","fcm":{"projectId":"cheqi-prod","serviceAccountFile":"\#(account)"}}]}"#
                        .utf8), path: "apps.json"
            ) { _ in true }
            let service = SenderService(
                name: "fcm-sender", routes: [route], broker: try ConnectionSettings(url: broker.url), vault: rig.vault,
                courier: try FCMCourier(configuration, apps: apps, routes: [route], metrics: rig.metrics),
                settings: configuration.sending, instance: "test", metrics: rig.metrics, readiness: Readiness())
            let running = Task {
                try await Shutdown.$current.withValue(rig.shutdown) { try await service.run() }
            }
            do { try await body(rig) } catch { Issue.record(error) }
            rig.stop()
            try await running.value
            await server.stop()
        }
    }

    /// Puts another key into the service account file, as an operator who rotates keys does.
    func rotateKey() throws -> PrivateKey {
        let next = try PrivateKey.generate(.rs256)
        let (file, port) = account.withLock { $0 }
        try Data(Self.accountJSON(next, id: "k2", port: port).utf8).write(to: URL(filePath: file), options: .atomic)
        return next
    }

    private static func accountJSON(_ key: PrivateKey, id: String, port: Int) -> String {
        let pem = key.pem.split(separator: "\n").joined(separator: "\\n")
        return """
            {"client_email":"sender@cheqi","private_key_id":"\(id)","token_uri":"https://localhost:\(port)/token",
            "private_key":"\(pem)"}
            """
    }

    private static func file(_ text: String) throws -> String {
        let path = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID()).json").path
        #expect(FileManager.default.createFile(atPath: path, contents: Data(text.utf8)))
        return path
    }
}

extension ReceivedRequest {
    var text: String { String(decoding: body, as: UTF8.self) }
}

extension Reply {
    static func json(_ status: Int, _ text: String, headers: HTTP2.Headers = [:]) -> Reply {
        .answer(Response(status: status, headers: headers, body: Array(text.utf8)))
    }

    static func token(_ text: String, seconds: Int = 3600) -> Reply {
        .json(200, #"{"access_token":"\#(text)","expires_in":\#(seconds),"token_type":"Bearer"}"#)
    }

    static let accepted = Reply.json(200, #"{"name":"projects/cheqi-prod/messages/7"}"#)

    static func fcm(
        _ status: Int, _ word: String, code: String? = nil, field: String? = nil, headers: HTTP2.Headers = [:]
    ) -> Reply {
        var details: [String] = []
        if let code {
            details.append(#"{"@type":"type.googleapis.com/google.firebase.fcm.v1.FcmError","errorCode":"\#(code)"}"#)
        }
        if let field {
            details.append(
                #"{"@type":"type.googleapis.com/google.rpc.BadRequest","fieldViolations":[{"field":"\#(field)"}]}"#)
        }
        let text =
            #"{"error":{"code":\#(status),"message":"m","status":"\#(word)","details":[\#(details.joined(separator: ","))]}}"#
        return .json(status, text, headers: headers)
    }
}
