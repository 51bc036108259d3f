import Cryptography
import Daemon
import Delivery
import HTTPServer
import Messages

/// Answers the calls of phones.
struct DeviceAPI: Sendable {
    let store: GatewayStore
    let vault: TokenVault
    let acks: any AckPublishing
    let settings: Configuration
    let keys = KeyCache()
    let limiter: RateLimiter<Identifier>
    let enrolments: EnrolmentLimits
    let room: WaitingRoom

    init(store: GatewayStore, vault: TokenVault, acks: any AckPublishing, settings: Configuration) {
        self.store = store
        self.vault = vault
        self.acks = acks
        self.settings = settings
        enrolments = EnrolmentLimits(settings)
        room = WaitingRoom(store, interval: settings.waitInterval, capacity: settings.waiters)
        limiter = RateLimiter(rate: settings.deviceRate, burst: Double(settings.deviceBurst))
    }

    func answer(_ call: DeviceCall, _ request: Request) async throws(Problem) -> Response {
        // Before anything that costs: nobody is known yet.
        if case .enrol = call { try enrolments.check(address: request.peer) }
        let signed = try SignedCall(request, now: Instant.now())
        if case .enrol = call { return try await enrol(signed, request) }
        try await authenticate(signed)
        let device = signed.device
        try limiter.check(device)
        switch call {
        case .enrol: return try await enrol(signed, request)
        case .registerToken: return try await registerToken(device, request)
        case .removeToken: return try await removeToken(device, request)
        case .putKey(let id): return try await putKey(device, id, request)
        case .fetch(let job): return try await fetch(device, job, request)
        case .claim(let job): return try await claim(device, job)
        case .acquire(let job): return try await acquire(device, job, request)
        case .renew(let job, let epoch): return try await renew(device, job, epoch, request)
        case .release(let job, let epoch): return try await release(device, job, epoch, request)
        case .submit(let job, let epoch): return try await submit(device, job, epoch, request)
        case .stagePart(let job, let epoch, let recipient):
            return try await stagePart(device, job, epoch, recipient, request)
        case .ack(let job): return try await ack(device, job, request)
        case .nack(let job): return try await nack(device, job, request)
        case .sync: return try await sync(device, request)
        case .wait: return try await wait(device, request)
        }
    }

    /// An unknown device and a wrong signature look alike.
    private func authenticate(_ signed: SignedCall) async throws(Problem) {
        let key: DeviceKey
        if let known = keys[signed.device] {
            key = known
        } else {
            guard let stored = try await store.deviceKey(of: signed.device),
                let algorithm = SigningAlgorithm(rawValue: stored.algorithm),
                let made = DeviceKey(algorithm, stored.bytes)
            else { throw Problem(.badSignature) }
            keys.insert(made, of: signed.device)
            key = made
        }
        guard signed.isValid(under: key) else { throw Problem(.badSignature) }
    }

    /// The body of a call that needs one.
    func body<Body>(
        _ request: Request, _ decode: ([UInt8]) throws(MessageError) -> Body
    ) throws(Problem) -> Body { try JSONBody.read(request, decode) }
}

/// Reads JSON bodies, the same way for phones and producers.
enum JSONBody {
    static func read<Body>(
        _ request: Request, _ decode: ([UInt8]) throws(MessageError) -> Body
    ) throws(Problem) -> Body {
        let type = request.headers["content-type"]?.prefix { $0 != ";" }.lowercased()
        guard type == "application/json" else { throw Problem(.unsupportedMediaType) }
        do throws(MessageError) { return try decode(request.body) } catch { throw Problem(error) }
    }
}
