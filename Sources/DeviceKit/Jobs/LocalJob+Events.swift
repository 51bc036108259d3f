public import Delivery
public import Messages

extension LocalJob {
    /// What happened to a job.
    public enum Event: Equatable, Sendable {
        case fetched(fanout: DeviceAPIFanout)
        case claimed
        /// Receipt, submission and report body go into the store in the same transaction.
        case generated(digest: [UInt8], reportBody: [UInt8])
        case rejected(FailureReason, reportBody: [UInt8])
        /// 410 to a fetch or a claim: expired, cancelled, revoked.
        case wentAway
        case attemptChosen(Identifier)
        case leaseGranted(Lease)
        case leaseHeld(until: Int64)
        /// Fenced, expired or spent: another attempt id. A `failed` follows it.
        case leaseLost
        /// Accepted from us, done by another, or closed.
        case fanoutEnded
        case submissionRefused
        case leaseReleased
        case reported
        /// The server wants the submit or the release first, so we hold a lease that we lost track of.
        case leaseOutstanding
        case failed(retryAt: Int64)
        /// Not charged: no network, locked keys.
        case deferred(retryAt: Int64)
        /// The app came to the foreground, or the network is back.
        case wokenUp
        /// A listing names the job.
        case listed(DeviceAPIListing.Entry)
    }

    /// Events that come late or twice change nothing.
    public mutating func apply(_ event: Event) {
        switch event {
        case .failed(let time):
            failures += 1
            retryAt = time
            return
        case .deferred(let time):
            retryAt = time
            return
        case .wokenUp:
            retryAt = nil
            fanoutRetryAt = nil
            return
        case .listed(let entry):
            listed(entry)
            return
        case .attemptChosen, .leaseGranted, .leaseLost:
            // No success yet: an election that is lost again and again waits longer and longer.
            retryAt = nil
        default:
            failures = 0
            retryAt = nil
        }
        advance(event)
    }

    private mutating func advance(_ event: Event) {
        switch event {
        case .fetched(let answer) where stage == .hinted:
            stage = .fetched
            fanout = Fanout(answer)
        case .claimed where stage == .fetched:
            stage = .claimed
        case .generated(let newDigest, let body) where stage == .claimed:
            stage = .generated
            digest = newDigest
            reportBody = body
            report = .pending
        case .rejected(let reason, let body) where stage == .claimed:
            stage = .rejected
            fanout = .notNeeded
            rejection = reason.rawValue
            reportBody = body
            report = .pending
        case .wentAway where stage != .generated && stage != .rejected:
            stage = .gone
        case .wentAway:
            // The receipt stays; nobody waits for our report or our ciphertexts any more.
            report = .sent
            endFanout(.over)
        case .attemptChosen(let id) where fanout == .open && lease == nil:
            attempt = id
        case .leaseGranted(let granted) where fanout == .open:
            lease = granted
            fanoutRetryAt = nil
        case .leaseHeld(let time):
            fanoutRetryAt = time
        case .leaseLost:
            lease = nil
            attempt = nil
        case .fanoutEnded:
            endFanout(.over)
        case .submissionRefused:
            fanout = .givenUp
        case .leaseReleased:
            lease = nil
            attempt = nil
        case .reported:
            report = .sent
        case .leaseOutstanding where fanout == .open || fanout == .givenUp || fanout == .over:
            if fanout == .over { fanout = .open }
            fanoutRetryAt = nil
        default:
            break
        }
    }

    private mutating func endFanout(_ end: Fanout) {
        if fanout == .open || fanout == .unknown { fanout = end }
        lease = nil
        attempt = nil
        fanoutRetryAt = nil
    }

    private mutating func listed(_ entry: DeviceAPIListing.Entry) {
        retryAt = nil
        switch stage {
        case .gone: stage = .hinted
        case .hinted, .fetched, .claimed: break
        case .rejected:
            if entry.state == .pending { report = .pending }
        case .generated:
            if entry.state == .pending || entry.state == .failed { report = .pending }
            if entry.fanoutNeeded { fanoutRetryAt = nil }
        }
    }
}

extension LocalJob.Fanout {
    init(_ answer: DeviceAPIFanout) {
        switch answer {
        case .notRequired: self = .notNeeded
        case .needed, .held: self = .open
        case .done: self = .over
        }
    }
}

extension LocalJob {
    /// The row of a job that a listing names and the store does not know.
    public init(listed entry: DeviceAPIListing.Entry, origin: Origin, now: Int64) {
        self.init(job: entry.job, documentType: entry.documentType, origin: origin, createdAt: now)
    }
}
