/// Decides which connection takes a request, when another connection is opened and when there is no hope of one. Knows
/// connections by number only; the client acts on what it says.
struct Pool: Equatable {
    typealias ID = Int

    /// connecting → ready (TLS done) → draining (GOAWAY, too old, retired, suspect: no more requests) → gone.
    enum Phase: Equatable {
        case connecting
        case ready
        case draining
    }

    struct Member: Equatable {
        let id: ID
        var phase = Phase.connecting
        /// Streams in use.
        var open = 0
        /// What the server's SETTINGS allow; 1 until they came.
        var limit = 1
        /// An answer was received on it.
        var isProven = false
    }

    private(set) var members: [Member] = []
    private var nextID = 1
    private let maximum: Int
    private let streamCap: Int
    private let firstAlone: Bool

    /// Connections in a row that came to nothing.
    private(set) var failures = 0
    private(set) var lastFailure = "not connected"
    /// No new connection before this.
    private(set) var notBefore: ContinuousClock.Instant?

    init(settings: ClientSettings) {
        maximum = max(1, settings.connections)
        streamCap = max(1, settings.streamsPerConnection)
        firstAlone = settings.firstRequestAlone
    }

    subscript(id: ID) -> Member? { members.first { $0.id == id } }

    func capacity(_ member: Member) -> Int {
        guard member.phase == .ready else { return 0 }
        let allowed = min(member.limit, streamCap)
        return firstAlone && !member.isProven ? min(allowed, 1) : allowed
    }

    /// Streams that all ready connections together allow.
    var allowed: Int { members.reduce(0) { $0 + capacity($1) } }
    var open: Int { members.reduce(0) { $0 + $1.open } }

    // MARK: Requests

    /// Books a stream on the connection with most room; nil if all are full.
    mutating func place() -> ID? {
        var best: Int?
        var room = 0
        for index in members.indices {
            let free = capacity(members[index]) - members[index].open
            if free > room {
                best = index
                room = free
            }
        }
        guard let best else { return nil }
        members[best].open += 1
        return members[best].id
    }

    mutating func streamsClosed(_ id: ID, count: Int) { change(id) { $0.open = max(0, $0.open - count) } }

    mutating func answered(_ id: ID) {
        change(id) { $0.isProven = true }
        failures = 0
        notBefore = nil
    }

    // MARK: Connections

    /// The number of a connection to open now, while requests wait: one at a time, up to the maximum, not before the
    /// pause after a failure is over.
    mutating func opening(waiting: Int, now: ContinuousClock.Instant) -> ID? {
        guard waiting > 0, notBefore.map({ $0 <= now }) ?? true else { return nil }
        let alive = members.count { $0.phase != .draining }
        guard alive < maximum, !members.contains(where: { $0.phase == .connecting }) else { return nil }
        // An unproven connection may be about to get room for everybody.
        if firstAlone && members.contains(where: { $0.phase == .ready && !$0.isProven }) { return nil }
        let id = nextID
        nextID += 1
        members.append(Member(id: id))
        return id
    }

    /// Why waiting is in vain just now: no connection lives and none may be opened yet.
    func hopelessness(now: ContinuousClock.Instant) -> String? {
        guard let notBefore, notBefore > now, !members.contains(where: { $0.phase != .draining }) else { return nil }
        return lastFailure
    }

    mutating func connected(_ id: ID) { change(id) { $0.phase = .ready } }

    mutating func limitChanged(_ id: ID, to limit: Int) { change(id) { $0.limit = limit } }

    /// Its requests may end, but it gets no more.
    mutating func drained(_ id: ID) { change(id) { $0.phase = .draining } }

    /// It is gone. One that never answered anything counts as a failure: the next attempt waits (100 ms doubling to 10 s,
    /// times `jitter`, a number from 0.5 to 1).
    mutating func ended(_ id: ID, reason: String, now: ContinuousClock.Instant, jitter: Double) {
        guard let index = members.firstIndex(where: { $0.id == id }) else { return }
        let member = members.remove(at: index)
        guard !member.isProven else { return }
        failures += 1
        lastFailure = reason
        let pause = min(10_000, 100 << min(failures - 1, 10))
        notBefore = now + .milliseconds(Int64(Double(pause) * jitter))
    }

    /// It is gone because we wanted so: idle, too old, retired.
    mutating func closed(_ id: ID) { members.removeAll { $0.id == id } }

    private mutating func change(_ id: ID, _ body: (inout Member) -> Void) {
        guard let index = members.firstIndex(where: { $0.id == id }) else { return }
        body(&members[index])
    }
}
