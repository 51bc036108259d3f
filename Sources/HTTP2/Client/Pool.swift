/// Decides which connection takes a request, when another connection is opened and when there is no hope of one. Knows
/// connections by number only; the client acts on what it says.
struct Pool {
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
        /// It refused a stream and has answered nothing since.
        var isRefusing = false
        var readyAt: ContinuousClock.Instant?
    }

    private(set) var members: [Member] = []
    private var nextID = 1
    private let maximum: Int
    private let streamCap: Int
    private let firstAlone: Bool
    private let pauses: (first: Duration, longest: Duration)
    private let steadyAfter: Duration

    /// Connections in a row that came to nothing.
    private(set) var failures = 0
    /// Connections in a row that answered, and that the server ended nevertheless as soon as they had begun.
    private(set) var brief = 0
    /// So many of them are nobody's fault: a server that is being replaced sends us on, perhaps to the next like it.
    static let briefOnes = 3
    private(set) var lastFailure = "not connected"
    /// No new connection before this.
    private(set) var notBefore: ContinuousClock.Instant?

    init(settings: ClientSettings) {
        maximum = max(1, settings.connections)
        streamCap = max(1, settings.streamsPerConnection)
        firstAlone = settings.firstRequestAlone
        pauses = (settings.reconnectFirst, settings.reconnectLongest)
        steadyAfter = settings.steadyAfter
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

    /// Books a stream on the connection with most room. Nil if all are full, or if those with room refused a stream lately
    /// and another connection can be had.
    mutating func place(now: ContinuousClock.Instant) -> ID? {
        var best: Int?
        var room = 0
        for index in members.indices {
            let free = capacity(members[index]) - members[index].open
            if free > room, !members[index].isRefusing {
                best = index
                room = free
            }
        }
        if best == nil, members.contains(where: \.isRefusing), !isOpening, !mayOpen(now: now) {
            best = members.indices.first { capacity(members[$0]) > members[$0].open }
        }
        guard let best else { return nil }
        members[best].open += 1
        return members[best].id
    }

    mutating func streamsClosed(_ id: ID, count: Int) { change(id) { $0.open = max(0, $0.open - count) } }

    mutating func answered(_ id: ID) {
        change(id) {
            $0.isProven = true
            $0.isRefusing = false
        }
        failures = 0
        if brief <= Self.briefOnes { notBefore = nil }
    }

    /// Requests go elsewhere until it answers something.
    mutating func refused(_ id: ID) { change(id) { $0.isRefusing = true } }

    // MARK: Connections

    private var isOpening: Bool { members.contains { $0.phase == .connecting } }

    private func mayOpen(now: ContinuousClock.Instant) -> Bool {
        members.count { $0.phase != .draining } < maximum && notBefore.map { $0 <= now } ?? true
    }

    /// The number of a connection to open now, while requests wait: one at a time, up to the maximum, not before the
    /// pause after a failure is over.
    mutating func opening(waiting: Int, now: ContinuousClock.Instant) -> ID? {
        guard waiting > 0, !isOpening, mayOpen(now: now) else { return nil }
        // An unproven connection may be about to get room for everybody.
        let isPromising = members.contains { $0.phase == .ready && !$0.isProven && !$0.isRefusing }
        if firstAlone && isPromising { return nil }
        let id = nextID
        nextID += 1
        members.append(Member(id: id))
        return id
    }

    /// The last connection came to nothing, so that `hopelessness` is worth asking for.
    var isTroubled: Bool { failures > 0 }

    /// Why waiting is in vain just now: no connection lives and none may be opened yet, because the last came to nothing.
    func hopelessness(now: ContinuousClock.Instant) -> String? {
        guard failures > 0, let notBefore, notBefore > now else { return nil }
        guard !members.contains(where: { $0.phase != .draining }) else { return nil }
        return lastFailure
    }

    mutating func connected(_ id: ID, now: ContinuousClock.Instant) {
        change(id) {
            $0.phase = .ready
            $0.readyAt = now
        }
    }

    mutating func limitChanged(_ id: ID, to limit: Int) { change(id) { $0.limit = limit } }

    /// Its requests may end, but it gets no more.
    mutating func drained(_ id: ID) { change(id) { $0.phase = .draining } }

    /// The other side ended it. After one that never answered anything, nor said farewell, the next attempt waits; after one
    /// that was ended as soon as it had begun, too, once there were a few of them in a row. `jitter` is a number from 0.5
    /// to 1.
    mutating func ended(
        _ id: ID, reason: String, isFarewell: Bool = false, now: ContinuousClock.Instant, jitter: Double
    ) {
        guard let index = members.firstIndex(where: { $0.id == id }) else { return }
        let member = members.remove(at: index)
        lastFailure = reason
        let doublings: Int
        if !member.isProven && !isFarewell {
            failures += 1
            doublings = failures - 1
        } else if let readyAt = member.readyAt, now - readyAt < steadyAfter {
            brief += 1
            doublings = brief - Self.briefOnes - 1
        } else {
            brief = 0
            return
        }
        guard doublings >= 0 else { return }
        let pause = min(pauses.longest, pauses.first * (1 << min(doublings, 20)))
        notBefore = now + pause * jitter
    }

    /// It is gone because we wanted so: idle, too old, retired.
    mutating func closed(_ id: ID) { members.removeAll { $0.id == id } }

    private mutating func change(_ id: ID, _ body: (inout Member) -> Void) {
        guard let index = members.firstIndex(where: { $0.id == id }) else { return }
        body(&members[index])
    }
}
