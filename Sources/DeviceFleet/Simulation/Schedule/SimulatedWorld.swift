import Cryptography
public import Delivery
import DeviceKit
import Messages
import Synchronization

/// An account in a simulation: its phones, the gateway model, the push services between them, and a producer.
public final class SimulatedWorld: Sendable {
    let loop: SimulationLoop
    let random: SeededRandom
    let network: SimulatedNetwork
    public let checker: InvariantChecker
    public let phones: [SimulatedPhone]
    private let author: SigningKey
    /// Of its own, so that jobs are the same whatever else is drawn.
    private let jobRandom: SeededRandom
    let defects: Set<PlantedDefect>
    private let weatherNow = Mutex(PushWeather.fair)
    static let route = Route(provider: .apns, environment: "production", app: "cheqi")

    public init(
        seed: UInt64, platforms: [Platform], defects: Set<PlantedDefect> = [], wrongClocks: Bool = false,
        log: (@Sendable (String) -> Void)? = nil
    ) {
        let random = SeededRandom(seed: seed)
        let loop = SimulationLoop(seed: random.seed())
        let network = SimulatedNetwork(loop: loop, random: random)
        let author = SigningKey(seed: random.bytes(32))!
        jobRandom = SeededRandom(seed: random.seed())
        let settings = DeviceSettings(authors: ["p1": author.publicKey])
        let checker = InvariantChecker(coalescing: settings.coalescing, log: log)
        self.random = random
        self.loop = loop
        self.network = network
        self.author = author
        self.checker = checker
        self.defects = defects
        phones = platforms.enumerated().map { number, platform in
            let offset = wrongClocks && random.chance(0.3) ? random.number(in: -172_800_000...172_800_000) : 0
            var configuration = SimulatedPhone.Configuration(
                platform: platform, number: number, device: settings, route: SimulatedWorld.route(of: platform),
                transport: network, timers: SimulatedTimers(loop: loop, offset: offset), checker: checker,
                seed: random.seed(), ticket: { "ticket" })
            configuration.defects = defects
            return SimulatedPhone(configuration)
        }
    }

    private static func route(of platform: Platform) -> Route {
        platform == .ios ? route : Route(provider: .fcm, environment: "", app: "cheqi")
    }

    /// How the push services are at the moment.
    public var weather: PushWeather { weatherNow.withLock { $0 } }
    public func setWeather(_ weather: PushWeather) { weatherNow.withLock { $0 = weather } }

    /// Runs a story from its beginning to its end, in no real time, and ends every app; false if it waits for something that
    /// never comes. Blocks its thread.
    public func run(_ story: @escaping @Sendable (SimulatedWorld) async -> Void) -> Bool {
        loop.run { [self] in
            await story(self)
            for phone in phones { await phone.tell(.processEnded) }
        }
    }

    public func sleep(_ milliseconds: Int64) async { await loop.sleep(until: loop.now + milliseconds) }

    func begin(_ body: @escaping @Sendable () async -> Void) { Task(executorPreference: loop) { await body() } }

    /// Encrypts and commits a document for all devices of the account. A late commit got its time long before it can be seen.
    @discardableResult
    public func commit(hasFanout: Bool, lateBy delay: Int64 = 0) -> Identifier {
        let job = Identifier(versioned: jobRandom.bytes(16), 4)
        let time = loop.now
        let sealed = seal(job, recipients: hasFanout ? ["ledger", "tax"] : [], at: time)
        let publish: @Sendable () -> Void = { [self] in
            network.withGateway { gateway in
                gateway.jobs[job] = sealed
                gateway.order.append(job)
                gateway.bump(sealed.states.keys)
            }
            hint(job)
        }
        if delay == 0 {
            publish()
        } else {
            begin { [self] in
                await sleep(delay)
                publish()
            }
        }
        return job
    }

    private func seal(_ job: Identifier, recipients: [String], at time: Int64) -> GatewayModel.Job {
        let enrolled = network.withGateway { gateway in
            gateway.deviceOrder.compactMap { gateway.devices[$0] }.filter { !$0.isRevoked }.map(\.enrolment)
        }
        let document = Array(#"{"total":"12.30","number":"\#(job)"}"#.utf8)
        let sealed = try! JobSealer.seal(
            document, header: JobHeader(job: job.bytes, documentType: "RECEIPT"),
            devices: enrolled.map {
                SealingDevice(device: $0.device.bytes, keyID: $0.keyID, publicKey: $0.publicKey)
            }, author: author)
        var answers: [Identifier: DeviceAPIJob] = [:]
        for (enrolment, key) in zip(enrolled, sealed.keys) {
            answers[enrolment.device] = DeviceAPIJob(
                job: job, documentType: .receipt, state: .pending, fanout: .needed, bodyFormat: sealed.header.format,
                body: sealed.body, bodyDigest: sealed.bodyDigest, commitment: sealed.commitment,
                signature: sealed.signature, signingKeyID: "p1", keyID: key.keyID, sealedKey: key.sealed,
                recipients: recipients, committedAt: time, expiresAt: time + 2_592_000_000, pendingOthers: 0)
        }
        return GatewayModel.Job(
            id: job, committedAt: time, needsFanout: !recipients.isEmpty, answers: answers,
            states: answers.mapValues { _ in .pending })
    }
}
