/// Watches over one connection: when to ask whether the other side lives, when to give it up, when to let it go.
struct Vigil: Equatable {
    enum Action: Equatable {
        case none
        case ping
        /// Nothing was heard after a PING.
        case condemn
        case closeIdle
        /// Old enough: no more requests, closed when the open ones are done.
        case retire
    }

    private let upkeep: Upkeep
    private let retireAt: ContinuousClock.Instant?
    private var idleSince: ContinuousClock.Instant?
    private var pingedAt: ContinuousClock.Instant?
    private var isRetired = false
    /// A request ran out of time and nothing at all had come meanwhile.
    private var isSuspect = false

    /// `jitter` is a number from 0 to 1.
    init(upkeep: Upkeep, openedAt: ContinuousClock.Instant, jitter: Double) {
        self.upkeep = upkeep
        retireAt = upkeep.maximumAge.map { openedAt + $0 - upkeep.ageJitter * jitter }
        idleSince = openedAt
    }

    mutating func suspect() { isSuspect = true }

    /// What to do now. `lastReceived` is when any byte came last, `open` the number of open requests.
    mutating func check(now: ContinuousClock.Instant, lastReceived: ContinuousClock.Instant, open: Int) -> Action {
        idleSince = open > 0 ? nil : (idleSince ?? now)
        if let pinged = pingedAt {
            if lastReceived > pinged {
                pingedAt = nil
                isSuspect = false
            } else if now - pinged >= upkeep.pingTimeout {
                return .condemn
            }
        }
        if let retireAt, now >= retireAt, !isRetired {
            isRetired = true
            return .retire
        }
        if let limit = upkeep.closeAfterIdle, let idleSince, now - idleSince >= limit { return .closeIdle }
        if let quiet = upkeep.pingAfterIdle, pingedAt == nil, isSuspect || now - lastReceived >= quiet {
            pingedAt = now
            return .ping
        }
        return .none
    }

    /// When `check` may say something other than `none`, if nothing happens until then.
    func nextCheck(lastReceived: ContinuousClock.Instant) -> ContinuousClock.Instant? {
        var instants: [ContinuousClock.Instant] = []
        if let pingedAt { instants.append(pingedAt + upkeep.pingTimeout) }
        if let retireAt, !isRetired { instants.append(retireAt) }
        if let limit = upkeep.closeAfterIdle, let idleSince { instants.append(idleSince + limit) }
        if let quiet = upkeep.pingAfterIdle, pingedAt == nil { instants.append(lastReceived + quiet) }
        return instants.min()
    }
}
