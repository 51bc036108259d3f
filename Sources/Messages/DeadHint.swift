public import Delivery

/// Type `hint.dead.v1`: why an entry ended, for the dead-letter queue; the recorder's SQL writes it. It carries no token.
public struct DeadHint: Equatable, Sendable {
    public var entry: Identifier
    public var seq: Int
    public var life: Int
    public var job: Identifier
    public var device: Identifier
    public var route: Route
    public var reason: String
    public var status: Int?
    public var failures: Int

    public init(
        entry: Identifier, seq: Int, life: Int, job: Identifier, device: Identifier, route: Route, reason: String,
        status: Int?, failures: Int
    ) {
        self.entry = entry
        self.seq = seq
        self.life = life
        self.job = job
        self.device = device
        self.route = route
        self.reason = reason
        self.status = status
        self.failures = failures
    }

    public func encoded() -> [UInt8] {
        JSONWriter.object {
            $0.member("version", 1)
            $0.member("entry", entry.description)
            $0.member("seq", seq)
            $0.member("life", life)
            $0.member("job", job.description)
            $0.member("device", device.description)
            $0.members(of: route)
            $0.member("reason", reason)
            $0.member("status", status)
            $0.member("failures", failures)
        }
    }

    public init(decoding bytes: [UInt8]) throws(MessageError) {
        let reader = try JSONReader(bytes)
        try reader.version(1)
        self.init(
            entry: try reader.identifier("entry"), seq: try reader.int("seq"), life: try reader.int("life"),
            job: try reader.identifier("job"), device: try reader.identifier("device"), route: try reader.route(),
            reason: try reader.string("reason"), status: try reader.optionalInt("status"),
            failures: try reader.int("failures"))
    }
}
