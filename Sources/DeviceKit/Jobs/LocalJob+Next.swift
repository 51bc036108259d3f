extension LocalJob {
    /// The one thing to do next.
    public enum Step: Equatable, Sendable {
        case fetch
        case claim
        case generate
        /// Store a new attempt id before asking for the lease under it.
        case chooseAttempt
        case acquire
        case submit
        /// Give the lease back, because what we have to submit is refused.
        case release
        /// Ack or nack.
        case report
        /// Nothing before this time (epoch milliseconds).
        case wait(until: Int64)
        case finished
    }

    public func next(now: Int64) -> Step {
        if let retryAt, retryAt > now { return .wait(until: retryAt) }
        switch stage {
        case .hinted: return .fetch
        case .fetched: return .claim
        case .claimed: return .generate
        case .gone: return .finished
        case .rejected: return report == .pending ? .report : .finished
        case .generated: return afterGeneration(now: now)
        }
    }

    /// Elected or about to be: submit comes before the report. Somebody else elected: report now, stand by for the lease.
    private func afterGeneration(now: Int64) -> Step {
        switch fanout {
        case .givenUp where lease != nil: return .release
        case .open:
            if lease != nil { return .submit }
            if let fanoutRetryAt, fanoutRetryAt > now {
                return report == .pending ? .report : .wait(until: fanoutRetryAt)
            }
            return attempt == nil ? .chooseAttempt : .acquire
        case .unknown, .notNeeded, .over, .givenUp:
            return report == .pending ? .report : .finished
        }
    }

    /// Whether anything is left to do, now or later.
    public var isOpen: Bool {
        switch stage {
        case .hinted, .fetched, .claimed: true
        case .gone: false
        case .rejected: report == .pending
        case .generated: report == .pending || fanout == .open || lease != nil
        }
    }
}
