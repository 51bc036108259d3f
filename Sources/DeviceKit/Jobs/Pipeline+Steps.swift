import Cryptography
import Delivery
import Messages
import ReceiptOpening

extension Pipeline {
    /// What came of a step.
    enum StepResult {
        /// To be stored; the journal entries hold once it is.
        case changed(JobChange, [JournalEntry])
        /// 404 before anything was fetched: unknown, or another device's.
        case nothingOfOurs
        case failed(CallFailure)
        case storeFailed(WorkStoreError)
    }

    func perform(_ step: LocalJob.Step, of job: LocalJob) async -> StepResult {
        do {
            switch step {
            case .fetch: return try await fetch(job)
            case .claim: return try await claim(job)
            case .generate: return try await generate(job)
            case .chooseAttempt:
                return changed(job, .attemptChosen(random.identifier()))
            case .acquire: return try await acquire(job)
            case .submit: return try await submit(job)
            case .release:
                guard let lease = job.lease else { return changed(job, .leaseReleased) }
                try await client.releaseLease(job.job, lease)
                return changed(job, .leaseReleased, JournalEntry(.leaseReleased, job: job.job, epoch: lease.epoch))
            case .report: return try await report(job)
            case .wait, .finished: return .changed(JobChange(job), [])
            }
        } catch let failure as CallFailure {
            return .failed(failure)
        } catch let error as WorkStoreError {
            return .storeFailed(error)
        } catch {
            return .failed(.unreachable("\(error)"))
        }
    }

    private func changed(_ job: LocalJob, _ event: LocalJob.Event, _ entries: JournalEntry...) -> StepResult {
        var job = job
        job.apply(event)
        return .changed(JobChange(job), entries)
    }

    private func fetch(_ job: LocalJob) async throws(CallFailure) -> StepResult {
        do {
            let (raw, answer) = try await client.fetch(job.job)
            if answer.pendingOthers > 0 { othersPending() }
            var job = job
            job.documentType = answer.documentType
            job.apply(.fetched(fanout: answer.fanout))
            return .changed(JobChange(job, fetched: raw), [JournalEntry(.fetched, job: job.job)])
        } catch {
            if error.status == 404 { return .nothingOfOurs }
            guard error.status == 410 else { throw error }
            return changed(job, .wentAway, JournalEntry(.gone, job: job.job, detail: "410"))
        }
    }

    private func claim(_ job: LocalJob) async throws(CallFailure) -> StepResult {
        do {
            try await client.claim(job.job)
            return changed(job, .claimed, JournalEntry(.claimed, job: job.job))
        } catch {
            guard error.isGone else { throw error }
            return changed(job, .wentAway, JournalEntry(.gone, job: job.job, detail: error.summary))
        }
    }

    private func acquire(_ job: LocalJob) async throws(CallFailure) -> StepResult {
        guard let attempt = job.attempt else { return changed(job, .leaseLost) }
        journal.record(JournalEntry(.leaseAsked, job: job.job))
        switch try await client.acquireLease(job.job, attempt: attempt) {
        case .granted(let lease):
            return changed(
                job, .leaseGranted(lease), JournalEntry(.leaseGranted, job: job.job, epoch: lease.epoch))
        case .held(let retryAfter):
            let wait = schedule.delay(attempt: 1, jitter: random.fraction(), retryAfter: retryAfter)
            return changed(
                job, .leaseHeld(until: clock.wall() + wait), JournalEntry(.leaseHeld, job: job.job))
        case .over:
            return changed(job, .fanoutEnded, JournalEntry(.fanoutOver, job: job.job))
        case .spent:
            return lostLease(job, JournalEntry(.leaseLost, job: job.job))
        }
    }

    private func submit(_ job: LocalJob) async throws -> StepResult {
        guard let lease = job.lease else { return changed(job, .leaseLost) }
        guard let submission = try await store.submission(job.job) else {
            return changed(job, .submissionRefused, JournalEntry(.fanoutGivenUp, job: job.job, detail: "not stored"))
        }
        let digest = Hex.encode(submission.digest)
        func entry(_ step: JournalEntry.Step) -> JournalEntry {
            JournalEntry(step, job: job.job, digest: digest, epoch: lease.epoch)
        }
        journal.record(entry(.submitSent))
        return switch try await client.submit(submission, under: lease) {
        case .accepted: changed(job, .fanoutEnded, entry(.submitted))
        case .over: changed(job, .fanoutEnded, entry(.fanoutOver))
        case .leaseLost: lostLease(job, entry(.leaseLost))
        case .refused: changed(job, .submissionRefused, entry(.fanoutGivenUp))
        }
    }

    private func lostLease(_ job: LocalJob, _ entry: JournalEntry) -> StepResult {
        var job = job
        job.apply(.leaseLost)
        let delay = schedule.delay(attempt: job.failures + 1, jitter: random.fraction())
        job.apply(.failed(retryAt: clock.wall() + delay))
        return .changed(JobChange(job), [entry])
    }

    private func report(_ job: LocalJob) async throws(CallFailure) -> StepResult {
        guard let body = job.reportBody else { return changed(job, .reported) }
        let isRefusal = job.stage == .rejected
        let digest = job.digest.map { Hex.encode($0) }
        journal.record(JournalEntry(isRefusal ? .nackSent : .ackSent, job: job.job, digest: digest))
        do {
            try await client.report(job.job, body: body, isRefusal: isRefusal)
            return changed(
                job, .reported, JournalEntry(isRefusal ? .failed : .acknowledged, job: job.job, digest: digest))
        } catch {
            if error.isGone {
                return changed(job, .wentAway, JournalEntry(.gone, job: job.job, detail: error.summary))
            }
            guard error.kind == .fanoutOutstanding else { throw error }
            var job = job
            job.apply(.leaseOutstanding)
            let delay = schedule.delay(
                attempt: job.failures + 1, jitter: random.fraction(), retryAfter: error.retryAfter)
            job.apply(.failed(retryAt: clock.wall() + delay))
            return .changed(JobChange(job), [JournalEntry(.retryLater, job: job.job, detail: "fan-out outstanding")])
        }
    }
}
