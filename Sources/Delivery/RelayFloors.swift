/// Below which due time the relay need not look, share by share: what is earlier was taken. Instants are the database's,
/// in microseconds since 1970. What turns up below a floor (a lease that ended, a late commit, a released row) is found
/// by a claim without floors, made at most once an interval, and more seldom when it takes long: it passes over every row
/// that waits for its outcome, and shall not take more than a twentieth of the time.
public struct RelayFloors: Equatable, Sendable {
    public static let shares = 64

    /// Room for transactions that took their due time and commit later.
    public let slack: Int64
    public let sweepEvery: Duration
    private var floors = [Int64](repeating: 0, count: RelayFloors.shares)
    private var lastSweep: ContinuousClock.Instant?
    private var sweepTook: Duration = .zero
    private var isSweep = false

    /// `slack` in microseconds.
    public init(slack: Int64 = 250_000, sweepEvery: Duration = .seconds(1)) {
        self.slack = slack
        self.sweepEvery = sweepEvery
    }

    /// The floors of the claim that is made now; all zero when it is time to sweep.
    public mutating func next(at now: ContinuousClock.Instant) -> [Int64] {
        isSweep = lastSweep.map { now - $0 >= max(sweepEvery, sweepTook * 20) } ?? true
        guard isSweep else { return floors }
        lastSweep = now
        return [Int64](repeating: 0, count: Self.shares)
    }

    /// How many of the rows that a sweep took lie below the floors. Ask before `claimed`.
    public func below(_ rows: [(share: Int, dueAt: Int64)]) -> Int {
        isSweep ? rows.count { $0.dueAt < floors[$0.share] } : 0
    }

    /// The claim that was begun at `begun` took these, at most `limit`. Below its limit, it saw every share to its end. At its
    /// limit, more may wait behind the last row of a share, also after a sweep: the next claims go on from there. A limit that
    /// has room for one row of each share leaves no share unseen: one of which no row came has nothing to give.
    public mutating func claimed(
        _ rows: [(share: Int, dueAt: Int64)], limit: Int, begun: Int64, took: Duration = .zero
    ) {
        if isSweep { sweepTook = took }
        guard rows.count >= limit else {
            floors = [Int64](repeating: begun - slack, count: Self.shares)
            return
        }
        var latest = [Int64](repeating: 0, count: Self.shares)
        for row in rows { latest[row.share] = max(latest[row.share], row.dueAt - slack) }
        for share in floors.indices {
            if latest[share] > 0 {
                floors[share] = isSweep ? latest[share] : max(floors[share], latest[share])
            } else if limit >= Self.shares {
                floors[share] = begun - slack
            }
        }
    }
}
