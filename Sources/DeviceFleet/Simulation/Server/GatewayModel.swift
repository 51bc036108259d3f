import Delivery
import DeviceKit
import Messages

/// The gateway as a device sees it, for one account and as a value: enrolment, listing, fetch, claim, lease, submit and
/// acknowledgement with the rules of the real one, and no time of its own. Signatures are not checked here; the real
/// gateway is used where that matters.
struct GatewayModel: Sendable {
    struct Device: Sendable {
        var enrolment: DeviceAPIEnrolment
        var token: DeviceAPIPushToken?
        var highestRegistration: Int64 = 0
        var isRevoked = false
        /// Bumped by whatever changes its pending set: the ETag.
        var version = 0
    }

    struct Job: Sendable {
        struct Holder: Sendable {
            var device: Identifier
            var nonce: Identifier
            var attempt: Identifier
            var expires: Int64
        }

        let id: Identifier
        let committedAt: Int64
        let needsFanout: Bool
        var answers: [Identifier: DeviceAPIJob]
        var states: [Identifier: DeviceAPIJobState]
        var claims: [Identifier: Int64] = [:]
        var evidence: [Identifier: [UInt8]] = [:]
        var attempts: Set<Identifier> = []
        var epoch: Int64 = 0
        var holder: Holder?
        var submission: (device: Identifier, epoch: Int64, digest: [UInt8])?

        /// `held` by somebody whose lease runs.
        func isHeld(_ now: Int64) -> Bool { holder.map { $0.expires > now } ?? false }
    }

    static let leaseTime: Int64 = 90_000
    static let account = "acme"

    var devices: [Identifier: Device] = [:]
    /// In the order of their enrolment.
    var deviceOrder: [Identifier] = []
    var revoked: Set<Identifier> = []
    var jobs: [Identifier: Job] = [:]
    /// In the order in which their commits became visible.
    var order: [Identifier] = []
    /// Recorded before it is told, so that a lost recorder can be played.
    var random: SplitMix64

    init(seed: UInt64) { random = SplitMix64(seed: seed) }

    mutating func answer(_ request: TransportRequest, now: Int64) -> TransportResponse {
        guard let input = request.fields.first(where: { $0.name == "Signature-Input" })?.value,
            let device = RequestSignature(input: input).map(\.keyID),
            let created = RequestSignature(input: input)?.created
        else { return GatewayModel.problem(401, .badSignature, now) }
        guard abs(created - now / 1000) <= RequestSignature.windowSeconds else {
            return GatewayModel.problem(401, .clockSkew, now)
        }
        if revoked.contains(device) { return GatewayModel.problem(401, .deviceRevoked, now) }
        let parts = request.path.split(separator: "/" as Character).map(String.init)
        let body = request.body ?? []
        switch (request.method, parts.dropFirst().first, parts.count) {
        case ("POST", "devices", 2): return enrol(body, device, now)
        case _ where devices[device] == nil: return GatewayModel.problem(401, .badSignature, now)
        case ("PUT", "devices", 4): return register(body, device, now)
        case ("DELETE", "devices", 4): return unregister(body, device, now)
        case ("GET", "sync", 2): return listing(request, device, now)
        case (_, "jobs", 3...):
            guard let id = Identifier(parts[2]), var job = jobs[id], job.states[device] != nil else {
                return GatewayModel.problem(404, .notFound, now)
            }
            let answer = act(request.method, Array(parts.dropFirst(3)), body, &job, device, now)
            jobs[id] = job
            return answer
        default: return GatewayModel.problem(404, .notFound, now)
        }
    }

    mutating func bump(_ devices: some Sequence<Identifier>) {
        for device in devices { self.devices[device]?.version += 1 }
    }

    static func problem(
        _ status: Int, _ kind: DeviceAPIProblem.Kind?, _ now: Int64, retryAfter: Int64? = nil
    ) -> TransportResponse {
        let body = DeviceAPIProblem(kind: kind, status: status, title: "", serverTime: now)
        return TransportResponse(
            status: status, fields: retryAfter.map { ["retry-after": "\($0)"] } ?? [:], body: body.encoded())
    }
}
