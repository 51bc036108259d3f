import Cryptography
import Daemon
import Delivery
import LocalStack
import Messages
import Postgres
import Storage

/// A gateway process, devices with a job each, and the requests that they sign.
struct GatewaySite {
    struct SignedDevice {
        let id: Identifier
        let key: SigningKey
        let job: Identifier
    }

    let site: OutboxSite
    let devices: [SignedDevice]
    let port: Int
    private let process: StackProcess

    private var authority: String { "127.0.0.1:\(port)" }

    static func start(on site: OutboxSite, devices count: Int) async throws -> GatewaySite {
        var devices: [SignedDevice] = []
        for number in 1...count { devices.append(try await enrol("account-\(number)", on: site)) }
        try await site.owner.execute("ANALYZE")
        var environment = site.stack.environment(of: .gateway)
        environment["MOBILE_DELIVERY_TOKEN_KEYS_FILE"] = StackSetup(site.stack).tokenKeysFile
        // A device here does in a second what others do in a day.
        environment["MOBILE_DELIVERY_GATEWAY_DEVICE_RATE"] = "100000"
        environment["MOBILE_DELIVERY_GATEWAY_DEVICE_BURST"] = "1000000"
        environment["MOBILE_DELIVERY_GATEWAY_LISTEN"] = "127.0.0.1:0"
        let process = try StackProcess(
            "gateway",
            ProcessCommand(site.stack.programs.mobileDelivery, ["gateway"], environment: environment),
            logPath: "\(site.stack.folder)/gateway.log")
        do {
            try await process.ready()
            let address = try await process.announcement("gateway listening")["address"] ?? ""
            guard let port = address.split(separator: ":").last.flatMap({ Int($0) }) else {
                throw Unusable("the gateway listens at \(address)")
            }
            return GatewaySite(site: site, devices: devices, port: port, process: process)
        } catch {
            await process.child.end(within: .seconds(10))
            throw error
        }
    }

    func stop() async { await process.child.end(within: .seconds(15)) }

    /// One a device, signed now: good for two minutes.
    func requests() throws -> [[UInt8]] {
        try devices.map { device in
            let path = "/v1/jobs/\(device.job)"
            let signature = RequestSignature(keyID: device.id, created: Instant.now() / 1_000, coversContent: false)
            guard let base = signature.base(of: SignedRequest(method: "GET", authority: authority, path: path)) else {
                throw Unusable("no signature base of \(path)")
            }
            let head = [
                "GET \(path) HTTP/1.1", "Host: \(authority)", "Signature-Input: \(signature.input)",
                "Signature: \(RequestSignature.header(device.key.sign(base)))", "", "",
            ]
            return Array(head.joined(separator: "\r\n").utf8)
        }
    }

    /// What a device signs, with its signature, for those who only check it.
    func signedBase() throws -> (base: [UInt8], signature: [UInt8], publicKey: [UInt8]) {
        let device = devices[0]
        let signature = RequestSignature(keyID: device.id, created: Instant.now() / 1_000, coversContent: false)
        let subject = SignedRequest(method: "GET", authority: authority, path: "/v1/jobs/\(device.job)")
        guard let base = signature.base(of: subject) else { throw Unusable("no signature base") }
        return (base, device.key.sign(base), device.key.publicKey)
    }

    private static func enrol(_ account: String, on site: OutboxSite) async throws -> SignedDevice {
        let (id, key, ticket, job) = (
            Identifier.random(), SigningKey.random(), RandomBytes.make(32), Identifier.random()
        )
        try await site.owner.execute("SELECT delivery.issue_ticket(\(account), \(ticket), \(Duration.seconds(60)))")
        let enrolment = try await site.owner.query(
            """
            SELECT outcome FROM delivery.enrol_device(\(ticket), \(id), 'ios', 'ed25519', \(key.publicKey), 'k1',
                \(RandomBytes.make(32)))
            """
        ).one().get("outcome", as: String.self)
        // As long as a body of the smallest bucket: nonce, 1 KiB, tag.
        let body = RandomBytes.make(24 + 1024 + 16)
        let refusal = try await site.owner.query(
            """
            SELECT state FROM delivery.commit_job_over_http(\(job), \(account), 'RECEIPT', \(body), 1::smallint,
                \(Digest.blake2b(body)), \(RandomBytes.make(32)), \(RandomBytes.make(64)), 'author-1', 1, \([id]),
                \(["k1"]), \([RandomBytes.make(129)]), \(["ledger"]), \(Duration.seconds(86_400)), NULL)
            """
        ).one().get("state", as: String?.self)
        guard enrolment == "enrolled", refusal == nil else {
            throw Unusable("a device or its job was refused: \(enrolment) \(refusal ?? "")")
        }
        return SignedDevice(id: id, key: key, job: job)
    }
}
