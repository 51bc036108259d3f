import Synchronization

/// Hands out arrivals once their time has come, to whoever asks first. It never waits for what was handed out before: that is
/// what makes the load open-loop.
final class ArrivalQueue: Sendable {
    private let arrivals: [Arrival]
    private let epoch: Int64
    private let next = Mutex(0)

    init(_ arrivals: [Arrival], epoch: Int64) {
        self.arrivals = arrivals
        self.epoch = epoch
    }

    enum Take: Equatable {
        case jobs(Range<Int>)
        /// Microseconds until the next one.
        case wait(Int64)
        case done
    }

    /// At most `limit` that are due.
    func take(_ limit: Int, now: Int64 = MachineClock.now) -> Take {
        next.withLock { next in
            guard next < arrivals.count else { return .done }
            var end = next
            while end < arrivals.count, end - next < limit, arrivals[end].at + epoch <= now { end += 1 }
            if end == next { return .wait(arrivals[next].at + epoch - now) }
            defer { next = end }
            return .jobs(next..<end)
        }
    }
}
