import Delivery
import DeviceKit
import DeviceStore
import Messages
import Synchronization

/// Watches simulated phones from outside, and says which of the promises a phone makes was broken. It reads requests, disks
/// and what is shown; no code of the kit knows of it.
public final class InvariantChecker: Sendable {
    struct State {
        var phones: [Int: PhoneHistory] = [:]
        var violations: [String] = []
        var trace: UInt64 = 0xCBF2_9CE4_8422_2325
        var requests = 0
    }

    let state = Mutex(State())
    /// Milliseconds between two syncs that hints called for, in one process.
    private let coalescing: Int64
    /// Gets a line for everything that happens.
    private let log: (@Sendable (String) -> Void)?

    public init(coalescing: Int64 = 30_000, log: (@Sendable (String) -> Void)? = nil) {
        self.coalescing = coalescing
        self.log = log
    }

    /// Something that changes nothing in what is checked.
    func tell(_ line: String) { log?(line) }

    /// Each with its invariant in front, in the order in which they were seen.
    public var violations: [String] { state.withLock { $0.violations } }
    /// A digest of all requests, their times and causes: equal for equal schedules.
    public var trace: UInt64 { state.withLock { $0.trace } }
    public var requestCount: Int { state.withLock { $0.requests } }

    /// Something that only the caller could see.
    public func report(_ violation: String) { state.withLock { $0.violations.append(violation) } }

    func with(_ phone: Int, _ body: (inout PhoneHistory, (String) -> Void) -> Void) {
        state.withLock { state in
            var found: [String] = []
            body(&state.phones[phone, default: PhoneHistory()]) { found.append("\($0) (phone \(phone))") }
            state.violations += found
        }
    }

    // MARK: Requests

    func sending(_ request: TransportRequest, for cause: RequestCause, by phone: Int, disk: MemoryImage, now: Int64) {
        let call = DeviceCall(request)
        note("\(now) \(phone) \(cause) \(call.line)")
        with(phone) { history, violation in
            check(cause, call, &history, now, violation)
            guard let job = call.job else { return }
            switch call.action {
            case "ack":
                history.lines[job, default: []].append(.ackSent)
                if (try? disk.receipt(job)) == nil { violation("I-10: ack of \(job) without a receipt on the disk") }
                if (try? disk.job(job))?.reportBody != request.body {
                    violation("I-10: ack of \(job) whose body is not on the disk")
                }
            case "submit":
                guard let epoch = call.epoch, let sent = try? DeviceAPISubmission(decoding: request.body ?? []) else {
                    return
                }
                if (try? disk.submission(job))?.digest != sent.digest {
                    violation("I-10b: submit of \(job) whose ciphertexts are not on the disk")
                }
                let attempt = PhoneHistory.Try(job: job, epoch: epoch)
                if let before = history.submitted[attempt], before != sent.digest {
                    violation("I-10b: submit of \(job) again in epoch \(epoch) with other ciphertexts")
                }
                history.submitted[attempt] = sent.digest
            default: break
            }
        }
    }

    private func check(
        _ cause: RequestCause, _ call: DeviceCall, _ history: inout PhoneHistory, _ now: Int64,
        _ violation: (String) -> Void
    ) {
        switch cause {
        case .hint(nil): violation("I-21: a hint that cannot be used led to \(call.line)")
        case .hint(let job?) where call.job != job: violation("I-21: a hint of \(job) led to \(call.line)")
        case .coalescedSync where call.action == "sync" && call.isFirstPage:
            if history.repeatsSync {
                history.repeatsSync = false
                return
            }
            if let last = history.lastCoalescedSync, now - last < coalescing {
                violation("I-21: two syncs for hints within \(now - last) ms")
            }
            history.lastCoalescedSync = now
        default: break
        }
    }

    func answered(_ request: TransportRequest, _ answer: TransportResponse, to phone: Int) {
        let call = DeviceCall(request)
        tell("  \(phone) \(call.line): \(answer.status)")
        with(phone) { history, _ in
            if call.action == "sync", answer.status == 401 { history.repeatsSync = true }
            guard let job = call.job else { return }
            switch (call.action, answer.status) {
            case ("acquire", 200):
                guard let lease = try? DeviceAPILease(decoding: answer.body) else { return }
                history.lines[job, default: []].append(.granted(lease.epoch))
            case ("submit", 200..<500):
                if let epoch = call.epoch { history.lines[job, default: []].append(.submitEnded(epoch)) }
            case ("ack", 202):
                history.acknowledged.insert(job)
                history.lines[job, default: []].append(.ackTaken)
            default: break
            }
        }
    }

    private func note(_ line: String) {
        log?(line)
        state.withLock { state in
            state.requests += 1
            for unit in line.utf8 { state.trace = (state.trace ^ UInt64(unit)) &* 0x0000_0100_0000_01B3 }
        }
    }
}
