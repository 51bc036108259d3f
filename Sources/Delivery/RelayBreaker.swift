/// Whether the relay may publish to one destination that lately refused (nack or return): it waits 1 s, doubling to 30 s,
/// and then lets one message through to see.
public struct RelayBreaker: Equatable, Sendable {
    public enum Admission: Equatable, Sendable {
        case publish
        case wait(Duration)
    }

    public let first: Duration
    public let longest: Duration
    private var refusals = 0
    private var opensAt: ContinuousClock.Instant?
    private var isProbing = false

    public init(first: Duration = .seconds(1), longest: Duration = .seconds(30)) {
        self.first = first
        self.longest = longest
    }

    /// How long it has been refusing without a success between is not known here; only whether it is.
    public var isOpen: Bool { opensAt != nil }

    /// How many of `wanted` messages may be taken for this destination now.
    public func allowance(of wanted: Int, at now: ContinuousClock.Instant) -> Int {
        guard let opensAt else { return wanted }
        return now >= opensAt && !isProbing ? min(1, wanted) : 0
    }

    /// Asked for each message right before it is published; `.publish` while open makes this message the probe.
    public mutating func admit(at now: ContinuousClock.Instant) -> Admission {
        guard let opensAt else { return .publish }
        if now < opensAt { return .wait(opensAt - now) }
        if isProbing { return .wait(first) }
        isProbing = true
        return .publish
    }

    /// A message was refused; returns when it is due again. Those that were on their way together count once.
    public mutating func refused(at now: ContinuousClock.Instant) -> Duration {
        if let opensAt, now < opensAt, !isProbing { return opensAt - now }
        let pause = min(longest, first * (1 << min(refusals, 16)))
        refusals += 1
        isProbing = false
        opensAt = now + pause
        return pause
    }

    public mutating func confirmed() {
        // One that was published before the refusal says nothing about the destination now.
        if opensAt != nil, !isProbing { return }
        self = RelayBreaker(first: first, longest: longest)
    }

    /// The probe ended without a word (unknown, not written): the next message may be one.
    public mutating func undecided() { isProbing = false }
}
