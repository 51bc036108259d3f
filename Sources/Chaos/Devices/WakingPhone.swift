import Cryptography
import Daemon
import Delivery
import DeviceFleet
import DeviceKit
import DeviceStore
import Messages
import Postgres
import Storage

/// The kit that apps embed, on a store in memory, enrolled and told of hints by a campaign.
struct WakingPhone: Sendable {
    let device: Device
    let transport: TroubledTransport

    var id: Identifier { device.identity.device }

    /// Enrols one by a ticket of its own, at the gateway whose turn it is.
    static func enrol(_ number: Int, account: String, on stage: DeviceStage) async throws -> WakingPhone {
        let gateway = stage.gateways[number % stage.gateways.count]
        guard let line = HTTPTransport(gateway: gateway, client: stage.client) else {
            throw CommandFailure(.temporary, "\(gateway) is no address of a gateway")
        }
        let transport = TroubledTransport(line)
        let store = MemoryStore()
        let hosts = DeviceHosts(
            transport: transport, store: store, keys: StoredKeys(store: store), clock: SystemClock())
        let settings = DeviceSettings(authors: [stage.author.id: stage.author.key.publicKey])
        let device = try await Device(platform: .ios, settings: settings, hosts: hosts)
        let ticket = "\(Identifier.random())"
        try await stage.database.execute(
            """
            SELECT delivery.issue_ticket(\(account), sha256(convert_to(\(ticket), 'UTF8')), \(Duration.seconds(60)))
            """)
        _ = try await device.enrol(ticket: ticket)
        return WakingPhone(device: device, transport: transport)
    }

    static func enrol(many count: Int, account: String, on stage: DeviceStage) async throws -> [WakingPhone] {
        var phones: [WakingPhone] = []
        for number in 0..<count { phones.append(try await enrol(number, account: account, on: stage)) }
        return phones
    }

    /// As a push of that job does.
    func wake(_ job: Identifier) async throws {
        let payload = JSONWriter.object {
            $0.member("eventType", WorkHint.eventType)
            $0.member("eventVersion", WorkHint.eventVersion)
            $0.member("jobId", job.description)
            $0.member("documentType", DocumentType.receipt.rawValue)
        }
        _ = try await device.receive(payload)
    }
}
