public import Delivery

/// What a sender says about one published hint. `entry` to `registeredAt` are copied from the hint.
public struct Outcome: Equatable, Sendable {
    public var entry: Identifier
    public var seq: Int
    public var life: Int
    public var kind: OutcomeKind
    public var device: Identifier
    public var fingerprint: Fingerprint
    public var registeredAt: Int64
    /// The broker had delivered the hint before.
    public var redelivered: Bool
    /// The sender's clock in epoch milliseconds; for display only.
    public var at: Int64
    /// APNs: its `apns-id`; FCM: the answer's `name`.
    public var providerID: String?
    /// The acceptance was in the sender's memory, nothing was sent for this seq.
    public var remembered = false
    public var status: Int?
    public var reason: String?
    /// Seconds the provider asked for.
    public var retryAfter: Int?
    public var scope: DeferralScope?
    /// When the provider says the token died, epoch milliseconds.
    public var providerTime: Int64?
    /// Why the route is paused.
    public var pause: String?
    /// The hint was the probe of a paused route.
    public var probe = false

    public init(
        of hint: Hint, kind: OutcomeKind, redelivered: Bool, at: Int64, providerID: String? = nil,
        remembered: Bool = false, status: Int? = nil, reason: String? = nil, retryAfter: Int? = nil,
        scope: DeferralScope? = nil, providerTime: Int64? = nil, pause: String? = nil, probe: Bool = false
    ) {
        self.init(
            entry: hint.entry, seq: hint.seq, life: hint.life, kind: kind, device: hint.device,
            fingerprint: hint.fingerprint, registeredAt: hint.registeredAt, redelivered: redelivered, at: at)
        self.providerID = providerID
        self.remembered = remembered
        self.status = status
        self.reason = reason
        self.retryAfter = retryAfter
        self.scope = scope
        self.providerTime = providerTime
        self.pause = pause
        self.probe = probe
    }

    public init(
        entry: Identifier, seq: Int, life: Int, kind: OutcomeKind, device: Identifier, fingerprint: Fingerprint,
        registeredAt: Int64, redelivered: Bool, at: Int64
    ) {
        self.entry = entry
        self.seq = seq
        self.life = life
        self.kind = kind
        self.device = device
        self.fingerprint = fingerprint
        self.registeredAt = registeredAt
        self.redelivered = redelivered
        self.at = at
    }

    func write(to writer: inout JSONWriter) {
        writer.object {
            $0.member("entry", entry.description)
            $0.member("seq", seq)
            $0.member("life", life)
            $0.member("kind", kind.rawValue)
            $0.member("device", device.description)
            $0.member("fingerprint", fingerprint.description)
            $0.member("registeredAt", registeredAt)
            $0.member("redelivered", redelivered)
            $0.member("at", at)
            $0.member("providerId", providerID)
            if remembered { $0.member("remembered", true) }
            $0.member("status", status)
            $0.member("reason", reason)
            $0.member("retryAfter", retryAfter)
            $0.member("scope", scope?.rawValue)
            $0.member("providerTime", providerTime)
            $0.member("pause", pause)
            if probe { $0.member("probe", true) }
        }
    }

    init(reading reader: JSONReader) throws(MessageError) {
        self.init(
            entry: try reader.identifier("entry"), seq: try reader.int("seq"), life: try reader.int("life"),
            kind: try reader.word("kind"), device: try reader.identifier("device"),
            fingerprint: try reader.fingerprint("fingerprint"), registeredAt: try reader.integer("registeredAt"),
            redelivered: try reader.bool("redelivered", default: false), at: try reader.integer("at"))
        providerID = try reader.optionalString("providerId")
        remembered = try reader.bool("remembered", default: false)
        status = try reader.optionalInt("status")
        reason = try reader.optionalString("reason")
        retryAfter = try reader.optionalInt("retryAfter")
        scope = try reader.optionalWord("scope")
        providerTime = try reader.optionalInteger("providerTime")
        pause = try reader.optionalString("pause")
        probe = try reader.bool("probe", default: false)
    }
}
