import Delivery

/// Why work on one job paused or ended.
public enum PipelineEnd: Equatable, Sendable {
    case finished
    /// Nothing to do before this time (epoch milliseconds).
    case waiting(until: Int64)
    /// Another worker has the job.
    case busy
    /// Not a job of this device; its row is gone.
    case unknown
    /// The device lost its rights.
    case revoked
    /// The window ended, or the store failed: go on from the stored state another time.
    case stopped
}

/// The one way from a known job id to an acknowledged receipt, for hints, foreground, deleted messages and all else. It
/// does one step, stores what came of it, and looks at the stored row again: killed at any point, it goes on from there.
struct Pipeline: Sendable {
    let device: Identifier
    let client: GatewayClient
    let store: any WorkStore
    let keys: any KeyStore
    let generator: any ReceiptGenerator
    /// Pinned author keys by id (K7).
    let authors: [String: [UInt8]]
    let clock: any DeviceClock
    let random: any RandomSource
    let journal: any Journal
    let schedule: RetrySchedule
    /// How long a worker may be silent before another may take the job over, milliseconds.
    let claimTime: Int64
    /// Told that the server knows of other pending jobs.
    let othersPending: @Sendable () -> Void

    /// Works on the job until nothing is left to do now, or no new step may start (monotonic milliseconds).
    func run(_ id: Identifier, until deadline: Int64?) async -> PipelineEnd {
        let worker = random.identifier()
        do {
            guard try await claim(id, worker) else { return .busy }
            let end = try await steps(of: id, worker: worker, until: deadline)
            try await store.release(id, worker: worker)
            return end
        } catch WorkStoreError.lostClaim {
            return .busy
        } catch {
            journal.record(JournalEntry(.retryLater, job: id, detail: "store: \(error)"))
            try? await store.release(id, worker: worker)
            return .stopped
        }
    }

    private func claim(_ id: Identifier, _ worker: Identifier) async throws(WorkStoreError) -> Bool {
        let now = clock.wall()
        return try await store.claim(id, worker: worker, until: now + claimTime, now: now)
    }

    private func steps(
        of id: Identifier, worker: Identifier, until deadline: Int64?
    ) async throws(WorkStoreError) -> PipelineEnd {
        var renewal = clock.monotonic() + claimTime / 3
        while let job = try await store.job(id) {
            if let deadline, clock.monotonic() >= deadline { return .stopped }
            if clock.monotonic() >= renewal {
                guard try await claim(id, worker) else { return .busy }
                renewal = clock.monotonic() + claimTime / 3
            }
            let step = job.next(now: clock.wall())
            switch step {
            case .finished: return .finished
            case .wait(let time): return .waiting(until: time)
            default: break
            }
            switch await perform(step, of: job) {
            case .changed(let change, let done):
                try await store.save(change, worker: worker)
                for entry in done { journal.record(entry) }
            case .nothingOfOurs:
                try await store.drop(id, worker: worker)
                journal.record(JournalEntry(.gone, job: id, detail: "unknown"))
                return .unknown
            case .failed(.stopped), .storeFailed(.stopped): return .stopped
            case .failed(let failure) where failure.isRevoked: return .revoked
            case .failed(let failure): try await store.save(JobChange(postponed(job, failure)), worker: worker)
            case .storeFailed(let error): throw error
            }
        }
        return .unknown
    }

    /// What a failed step makes of the row: tried again later, charged unless nothing was tried.
    private func postponed(_ job: LocalJob, _ failure: CallFailure) -> LocalJob {
        var job = job
        let now = clock.wall()
        switch failure {
        case .offline: job.apply(.deferred(retryAt: now + schedule.offline))
        case .locked: job.apply(.deferred(retryAt: now + schedule.locked))
        default:
            let delay = schedule.delay(
                attempt: job.failures + 1, jitter: random.fraction(), retryAfter: failure.retryAfter)
            job.apply(.failed(retryAt: now + delay))
        }
        journal.record(JournalEntry(.retryLater, job: job.job, detail: failure.summary))
        return job
    }
}
