import Cryptography
import Delivery
import DeviceKit
import DeviceStore
import Messages
import Synchronization

/// Journal entries in memory.
final class MemoryJournal: Journal {
    private let kept = Mutex<[JournalEntry]>([])
    func record(_ entry: JournalEntry) { kept.withLock { $0.append(entry) } }
    var entries: [JournalEntry] { kept.withLock { $0 } }
    func count(_ step: JournalEntry.Step) -> Int { entries.filter { $0.step == step }.count }
}

final class CountingNotifier: Notifier {
    private let kept = Mutex<[Identifier]>([])
    func notify(job: Identifier, documentType: DocumentType) { kept.withLock { $0.append(job) } }
    var jobs: [Identifier] { kept.withLock { $0 } }
}

/// An account with its gateway, author and phones.
struct World {
    let clock = TestClock()
    let gateway: SimulatedGateway
    let author = SigningKey.random()

    init() { gateway = SimulatedGateway(clock: clock) }

    var settings: DeviceSettings { DeviceSettings(authors: ["p1": author.publicKey]) }

    /// Boots a phone on its store; enrols it at its first boot.
    func boot(
        _ store: any WorkStore, platform: Platform = .ios, point: CrashPoint = CrashPoint(at: nil),
        journal: any Journal = NoJournal(), notifier: any Notifier = SilentNotifier(), clock: TestClock? = nil,
        inspect: @escaping @Sendable (TransportRequest) async -> Void = { _ in }
    ) async throws -> Device {
        let crashing = CrashingStore(base: store, point: point)
        let hosts = DeviceHosts(
            transport: CrashingTransport(base: gateway, point: point, inspect: inspect), store: crashing,
            keys: StoredKeys(store: crashing), clock: clock ?? self.clock, notifier: notifier, journal: journal)
        let device = try await Device(platform: platform, settings: settings, hosts: hosts)
        if device.identity.account == nil { _ = try await device.enrol(ticket: "ticket") }
        return device
    }

    /// Commits a document for all enrolled devices.
    @discardableResult
    func commit(
        _ text: String = #"{"total":"12.30"}"#, recipients: [String] = ["ledger", "tax"], author: SigningKey? = nil,
        job: Identifier = .random()
    ) async throws -> Identifier {
        let enrolled = await gateway.enrolled.values.sorted { $0.device < $1.device }
        let sealed = try JobSealer.seal(
            Array(text.utf8), header: JobHeader(job: job.bytes, documentType: "RECEIPT"),
            devices: enrolled.map {
                SealingDevice(device: $0.device.bytes, keyID: $0.keyID, publicKey: $0.publicKey)
            }, author: author ?? self.author)
        var answers: [Identifier: DeviceAPIJob] = [:]
        for (enrolment, key) in zip(enrolled, sealed.keys) {
            answers[enrolment.device] = DeviceAPIJob(
                job: job, documentType: .receipt, state: .pending, fanout: .needed, bodyFormat: 1, body: sealed.body,
                bodyDigest: sealed.bodyDigest, commitment: sealed.commitment, signature: sealed.signature,
                signingKeyID: "p1", keyID: key.keyID, sealedKey: key.sealed, recipients: recipients, committedAt: 1,
                expiresAt: 2, pendingOthers: 0)
        }
        await gateway.commit(job, needsFanout: !recipients.isEmpty, answers: answers)
        return job
    }

    static func payload(_ job: Identifier, documentType: String = "RECEIPT") -> [UInt8] {
        Array(
            #"{"eventType":"RECEIPT_GENERATION_AVAILABLE","eventVersion":1,"jobId":"\#(job)","documentType":"\#(documentType)"}"#
                .utf8)
    }
}
