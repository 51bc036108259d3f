import Delivery
import DeviceKit
import Messages
import Testing

@Suite struct LocalJobTests {
    private static let lease = LocalJob.Lease(epoch: 3, nonce: Identifier.random())
    private static let attempt = Identifier.random()

    private func job(_ change: (inout LocalJob) -> Void = { _ in }) -> LocalJob {
        var job = LocalJob(job: .random(), documentType: .receipt, origin: .hint, createdAt: 0)
        change(&job)
        return job
    }

    private func generated(
        _ fanout: LocalJob.Fanout, _ report: LocalJob.Report = .pending, lease: LocalJob.Lease? = nil,
        attempt: Identifier? = nil, fanoutRetryAt: Int64? = nil
    ) -> LocalJob {
        job {
            $0.stage = .generated
            $0.fanout = fanout
            $0.report = report
            $0.reportBody = [1]
            $0.digest = [2]
            $0.lease = lease
            $0.attempt = attempt
            $0.fanoutRetryAt = fanoutRetryAt
        }
    }

    @Test(arguments: [
        (LocalJob.Stage.hinted, LocalJob.Step.fetch), (.fetched, .claim), (.claimed, .generate), (.gone, .finished),
    ])
    func `before the receipt, the stage alone says what is next`(stage: LocalJob.Stage, step: LocalJob.Step) {
        #expect(job { $0.stage = stage }.next(now: 0) == step)
    }

    @Test func `a receipt without fan-out is reported, then nothing is left`() {
        #expect(generated(.notNeeded).next(now: 0) == .report)
        #expect(generated(.notNeeded, .sent).next(now: 0) == .finished)
        #expect(!generated(.notNeeded, .sent).isOpen)
    }

    @Test func `election and submit come before the report`() {
        #expect(generated(.open).next(now: 0) == .chooseAttempt)
        #expect(generated(.open, attempt: Self.attempt).next(now: 0) == .acquire)
        #expect(generated(.open, lease: Self.lease, attempt: Self.attempt).next(now: 0) == .submit)
        #expect(generated(.over).next(now: 0) == .report)
    }

    @Test func `while another is elected the report goes first, and this device stands by`() {
        let standby = generated(.open, attempt: Self.attempt, fanoutRetryAt: 90)
        #expect(standby.next(now: 0) == .report)
        let reported = generated(.open, .sent, attempt: Self.attempt, fanoutRetryAt: 90)
        #expect(reported.next(now: 0) == .wait(until: 90))
        #expect(reported.next(now: 90) == .acquire)
        #expect(reported.isOpen)
    }

    @Test func `refused ciphertexts give the lease back before the report`() {
        #expect(generated(.givenUp, lease: Self.lease).next(now: 0) == .release)
        #expect(generated(.givenUp).next(now: 0) == .report)
    }

    @Test func `a retry time holds back everything until it is there`() {
        let waiting = job { $0.retryAt = 50 }
        #expect(waiting.next(now: 49) == .wait(until: 50))
        #expect(waiting.next(now: 50) == .fetch)
    }

    @Test(arguments: [
        (DeviceAPIFanout.notRequired, LocalJob.Fanout.notNeeded), (.needed, .open), (.held, .open), (.done, .over),
    ])
    func `the fetch says what is left downstream`(answer: DeviceAPIFanout, fanout: LocalJob.Fanout) {
        var job = job()
        job.apply(.fetched(fanout: answer))
        #expect(job.stage == .fetched && job.fanout == fanout)
    }

    @Test func `failures count until something succeeds, deferrals never`() {
        var job = job()
        job.apply(.failed(retryAt: 1))
        job.apply(.failed(retryAt: 2))
        job.apply(.deferred(retryAt: 3))
        #expect(job.failures == 2 && job.retryAt == 3)
        job.apply(.fetched(fanout: .needed))
        #expect(job.failures == 0 && job.retryAt == nil)
    }

    @Test func `late and repeated events change nothing`() {
        var job = generated(.over, .sent)
        let before = job
        for event: LocalJob.Event in [
            .fetched(fanout: .needed), .claimed, .generated(digest: [9], reportBody: [9]),
            .rejected(.cannotDecrypt, reportBody: [9]), .attemptChosen(Self.attempt), .leaseGranted(Self.lease),
            .reported, .fanoutEnded,
        ] {
            job.apply(event)
            #expect(job == before, "\(event)")
        }
    }

    @Test func `going away keeps the receipt and ends the rest`() {
        var job = generated(.open, lease: Self.lease, attempt: Self.attempt)
        job.apply(.wentAway)
        #expect(job.stage == .generated && job.report == .sent && job.fanout == .over && job.lease == nil)
        #expect(!job.isOpen)
    }

    @Test(arguments: [
        (DeviceAPIJobState.pending, LocalJob.Report.pending), (.failed, .pending), (.acknowledged, .sent),
    ])
    func `a listing that still names a finished job has its report sent again`(
        state: DeviceAPIJobState, report: LocalJob.Report
    ) {
        var job = generated(.over, .sent)
        job.apply(.listed(entry(state, fanoutNeeded: false)))
        #expect(job.report == report)
    }

    @Test func `a listing that says the fan-out is needed ends the standby`() {
        var job = generated(.open, .sent, fanoutRetryAt: 90)
        job.apply(.listed(entry(.acknowledged, fanoutNeeded: true)))
        #expect(job.next(now: 0) == .chooseAttempt)
    }

    @Test func `a lost lease takes its attempt with it`() {
        var job = generated(.open, lease: Self.lease, attempt: Self.attempt)
        job.apply(.leaseLost)
        #expect(job.next(now: 0) == .chooseAttempt)
    }

    @Test func `an election lost again and again is not taken for a success`() {
        var job = generated(.open)
        for round in 1...3 {
            job.apply(.attemptChosen(Self.attempt))
            job.apply(.leaseGranted(Self.lease))
            job.apply(.leaseLost)
            job.apply(.failed(retryAt: 0))
            #expect(job.failures == round)
        }
    }

    @Test func `coming to the foreground ends every wait`() {
        var job = generated(.open, .sent, attempt: Self.attempt, fanoutRetryAt: 90)
        job.retryAt = 100
        job.apply(.wokenUp)
        #expect(job.next(now: 0) == .acquire)
    }

    private func entry(_ state: DeviceAPIJobState, fanoutNeeded: Bool) -> DeviceAPIListing.Entry {
        DeviceAPIListing.Entry(
            job: .random(), documentType: .receipt, state: state, fanoutNeeded: fanoutNeeded, committedAt: 0,
            expiresAt: 0)
    }
}
