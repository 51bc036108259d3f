import Cryptography
import Daemon
public import Delivery
public import DeviceFleet
public import HTTPClient
import Messages

/// The producer API as a host backend uses it, and the account that canaries are for.
public struct ProducerAPI: Sendable {
    public let account: String
    private let gateway: String
    private let token: String
    private let author: AuthorKey
    private let recipients: [String]
    private let client: Client

    /// `token` needs the scopes `devices`, `commit` and `status`. The phones have to pin the author's key.
    public init(
        gateway: String, token: String, account: String, author: AuthorKey, recipients: [String], client: Client
    ) {
        self.gateway = gateway.hasSuffix("/") ? String(gateway.dropLast()) : gateway
        self.token = token
        self.account = account
        self.author = author
        self.recipients = recipients
        self.client = client
    }

    /// Empty for an account that nobody enrolled a device of.
    public func devices() async throws -> [Identifier] {
        try await deviceSet().devices.map { Identifier(bytes: $0.device) }
    }

    public func status(of job: Identifier) async throws -> JobStatus {
        try JobStatus(try await ask("GET", "/v1/producer/jobs/\(job)").body)
    }

    /// As a backend does at a logout: no job is sealed to the device any more. Needs the scope `revoke`.
    public func revoke(_ device: Identifier) async throws {
        _ = try await ask("DELETE", "/v1/producer/devices/\(device)")
    }

    /// A one-time ticket. Needs the scope `enrol`.
    public func ticket() async throws -> String {
        try JSONReader(try await ask("POST", "/v1/producer/accounts/\(account)/enrolment-tickets").body).string(
            "ticket")
    }

    /// Encrypts a small document for the devices of the account, signs it and commits it; a set that changed in between is
    /// read again.
    public func commit(_ purpose: String, job: Identifier) async throws -> Canary {
        let document = JSONWriter.object {
            $0.member("canary", RandomBytes.make(16).map { String($0, radix: 16) }.joined())
            $0.member("total", "0.00")
        }
        let key = ContentKey.random()
        var attempts = 0
        while true {
            let set = try await deviceSet()
            guard !set.devices.isEmpty else { throw StepFailure("account \(account) has no device") }
            let sealed = try JobSealer.seal(
                document, header: JobHeader(job: job.bytes, documentType: DocumentType.receipt.rawValue),
                devices: set.devices, author: author.key, contentKey: key)
            let answer = try await send("PUT", "/v1/producer/jobs/\(job)", body(of: sealed, set.version))
            if answer.status == 202 {
                return Canary(
                    job: job, purpose: purpose, document: document, contentKey: ContentKeyBytes(bytes: key.bytes),
                    recipients: recipients)
            }
            attempts += 1
            guard answer.status == 409, attempts < 5 else { throw ProducerAPI.failure("the commit", answer) }
        }
    }

    private func deviceSet() async throws -> (devices: [SealingDevice], version: Int64) {
        let answer = try await send("GET", "/v1/producer/accounts/\(account)/devices")
        if answer.status == 404 { return ([], 0) }
        guard answer.status == 200 else { throw ProducerAPI.failure("the device set", answer) }
        let reader = try JSONReader(answer.body)
        let devices = try reader.array("devices").map { value in
            let device = try JSONReader(value.encoded())
            return SealingDevice(
                device: try device.identifier("device").bytes, keyID: try device.string("keyId"),
                publicKey: try device.bytes("publicKey"))
        }
        return (devices, try reader.integer("deviceSetVersion"))
    }

    private func body(of sealed: SealedJob, _ version: Int64) -> [UInt8] {
        JSONWriter.object {
            $0.member("account", account)
            $0.member("documentType", sealed.header.documentType)
            $0.member("body", base64: sealed.body)
            $0.member("bodyFormat", sealed.header.format)
            $0.member("bodyDigest", base64: sealed.bodyDigest)
            $0.member("commitment", base64: sealed.commitment)
            $0.member("signature", base64: sealed.signature)
            $0.member("signingKeyId", author.id)
            $0.member("deviceSetVersion", version)
            $0.key("sealedKeys")
            $0.array { list in
                for key in sealed.keys {
                    list.object {
                        $0.member("device", Identifier(bytes: key.device).description)
                        $0.member("keyId", key.keyID)
                        $0.member("sealed", base64: key.sealed)
                    }
                }
            }
            $0.key("recipients")
            $0.array { list in for recipient in recipients { list.string(recipient) } }
            $0.member("lifetimeSeconds", 86_400)
        }
    }

    private func ask(_ method: String, _ path: String) async throws -> Response {
        let answer = try await send(method, path)
        guard (200..<300).contains(answer.status) else { throw ProducerAPI.failure("\(method) \(path)", answer) }
        return answer
    }

    private func send(_ method: String, _ path: String, _ body: [UInt8] = []) async throws -> Response {
        do throws(HTTPClientError) {
            return try await client.send(
                Request(
                    method, gateway + path,
                    headers: [.bearer(token)] + (body.isEmpty ? [] : [Header("Content-Type", "application/json")]),
                    body: body))
        } catch {
            throw CommandFailure(.unavailable, "the gateway \(gateway) does not answer: \(error.detail)")
        }
    }

    private static func failure(_ what: String, _ answer: Response) -> CommandFailure {
        let title = (try? JSONReader(answer.body))?.optional("title")?.string ?? answer.text
        return CommandFailure(
            answer.status == 401 || answer.status == 403 ? .noPermission : .protocolError,
            "\(what) was answered \(answer.status): \(title)")
    }
}
