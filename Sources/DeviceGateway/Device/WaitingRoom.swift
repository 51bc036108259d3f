import Delivery
import Messages
import Postgres
import Storage

/// Phones that wait until their set is another. One question every interval asks for all of them, however many wait; with
/// nobody there, nothing is asked.
actor WaitingRoom {
    private struct Waiter {
        var number: Int
        var tag: String
        var deadline: ContinuousClock.Instant
        var continuation: CheckedContinuation<Bool, Never>
    }

    private let store: GatewayStore
    private let interval: Duration
    private let capacity: Int
    private var waiters: [Identifier: Waiter] = [:]
    private var looking: Task<Void, Never>?
    private var isClosed = false
    private var count = 0
    /// Devices of one question.
    private static let group = 500

    init(_ store: GatewayStore, interval: Duration, capacity: Int) {
        self.store = store
        self.interval = interval
        self.capacity = capacity
    }

    /// False when the time is over, a newer wait of the same device came, or the gateway ends.
    func changed(
        _ device: Identifier, from tag: String, until deadline: ContinuousClock.Instant
    ) async throws(Problem) -> Bool {
        if isClosed || deadline <= .now { return false }
        if let older = waiters.removeValue(forKey: device) { older.continuation.resume(returning: false) }
        guard waiters.count < capacity else { throw Problem(.unavailable, "too many phones wait", retryAfter: 5) }
        count += 1
        let number = count
        if looking == nil { looking = Task { await look() } }
        return await withCheckedContinuation {
            waiters[device] = Waiter(number: number, tag: tag, deadline: deadline, continuation: $0)
        }
    }

    var isOccupied: Bool { !waiters.isEmpty }

    /// Everybody goes, nobody comes.
    func close() {
        isClosed = true
        looking?.cancel()
        let all = waiters.values
        waiters = [:]
        for waiter in all { waiter.continuation.resume(returning: false) }
    }

    private func look() async {
        while !waiters.isEmpty {
            let first = waiters.values.map(\.deadline).min() ?? .now
            guard (try? await Task.sleep(until: min(first, .now + interval), clock: .continuous)) != nil else { break }
            leave { $0.deadline <= .now }
            var devices = Array(waiters.keys)[...]
            while !devices.isEmpty {
                // A database that is away leaves all as it is; whoever waits is told when the time is over.
                if let tags = try? await tags(of: Array(devices.prefix(Self.group))) { tell(tags) }
                devices = devices.dropFirst(Self.group)
            }
        }
        looking = nil
    }

    private func tags(of devices: [Identifier]) async throws(Problem) -> [(device: Identifier, tag: String?, upTo: Int)]
    {
        let upTo = count
        let rows = try await store.query("SELECT * FROM delivery.device_set_tags(\(devices))")
        return try GatewayStore.read { () throws(PostgresError) in
            var tags: [(device: Identifier, tag: String?, upTo: Int)] = []
            for row in rows { tags.append((try row["device_id"], try row.get("tag", as: String?.self), upTo)) }
            return tags
        }
    }

    /// Only those who waited when it was asked: a newer wait may know a newer set.
    private func tell(_ tags: [(device: Identifier, tag: String?, upTo: Int)]) {
        for (device, tag, upTo) in tags {
            guard let waiter = waiters[device], waiter.number <= upTo, waiter.tag != tag else { continue }
            waiters[device] = nil
            waiter.continuation.resume(returning: true)
        }
    }

    private func leave(_ condition: (Waiter) -> Bool) {
        for (device, waiter) in waiters where condition(waiter) {
            waiters[device] = nil
            waiter.continuation.resume(returning: false)
        }
    }
}
