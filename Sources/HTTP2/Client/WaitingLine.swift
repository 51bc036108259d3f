/// Requests that wait for a stream, first come first served. Cancelled ones stay in place until they reach the front.
struct WaitingLine {
    private var line: [PendingRequest] = []
    private var head = 0
    /// Those that still want a stream.
    private(set) var count = 0

    var isEmpty: Bool { count == 0 }

    mutating func append(_ pending: PendingRequest) {
        line.append(pending)
        count += 1
    }

    /// The next that still wants a stream.
    var first: PendingRequest? {
        mutating get {
            while head < line.count, line[head].isDone { head += 1 }
            compact()
            return head < line.count ? line[head] : nil
        }
    }

    /// Takes `first` away.
    mutating func removeFirst() {
        head += 1
        count -= 1
        compact()
    }

    /// One of them got its result elsewhere.
    mutating func forgetOne() { count -= 1 }

    mutating func removeAll() -> [PendingRequest] {
        let rest = line[head...].filter { !$0.isDone }
        self = WaitingLine()
        return rest
    }

    mutating func removeExpired(now: ContinuousClock.Instant) -> [PendingRequest] {
        let alive = line[head...].filter { !$0.isDone }
        line = alive.filter { $0.deadline > now }
        head = 0
        count = line.count
        return alive.filter { $0.deadline <= now }
    }

    func forEach(_ body: (PendingRequest) -> Void) {
        for pending in line[head...] where !pending.isDone { body(pending) }
    }

    private mutating func compact() {
        guard head > 1024, head * 2 > line.count else { return }
        line.removeFirst(head)
        head = 0
    }
}
