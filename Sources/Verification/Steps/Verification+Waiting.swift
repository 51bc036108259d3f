import Delivery

extension Verification {
    func act(_ action: PhoneAction, _ run: inout StepRun) async throws {
        try await phone.perform(action)
        run.saw("done: \(action.rawValue)")
    }

    /// Commits a canary and remembers it.
    @discardableResult
    func commit(_ purpose: String, _ run: inout StepRun, job: Identifier? = nil) async throws -> Canary {
        let canary = try await producer.commit(purpose, job: job ?? jobs.next())
        run.canaries.append(canary)
        run.saw("committed \(canary.job): \(purpose)")
        return canary
    }

    /// Polls until `isThere`; throws with what the job lacks.
    @discardableResult
    func wait(
        for what: String, _ canary: Canary, within limit: Duration? = nil, _ run: inout StepRun,
        until isThere: (JobStatus) -> Bool
    ) async throws -> JobStatus {
        let limit = limit ?? patience.completion
        let end = ContinuousClock.now + limit
        while true {
            let status = try await producer.status(of: canary.job)
            if isThere(status) {
                run.saw("\(canary.job): \(what)")
                return status
            }
            guard .now < end else {
                throw StepFailure("after \(limit) still not \(what) (\(canary.purpose)): \(status.summary)")
            }
            try await Task.sleep(for: patience.poll)
        }
    }

    /// Complete, acknowledged by every device, and fanned out if anybody was to get something.
    @discardableResult
    func waitForCompletion(_ canary: Canary, _ run: inout StepRun) async throws -> JobStatus {
        let status = try await wait(for: "complete", canary, &run) { $0.state == "completed" }
        let others = status.devices.filter { !["acknowledged", "revoked"].contains($0.state) }
        guard others.isEmpty, status.devices.contains(where: { $0.state == "acknowledged" }) else {
            throw StepFailure("complete although not every device acknowledged: \(status.summary)")
        }
        guard canary.recipients.isEmpty || status.isFannedOut else {
            throw StepFailure("complete without downstream delivery: \(status.summary)")
        }
        return status
    }

    /// Nobody acknowledges while nobody can.
    func waitInSilence(_ canaries: [Canary], _ run: inout StepRun) async throws {
        try await Task.sleep(for: patience.silence)
        for canary in canaries {
            let status = try await producer.status(of: canary.job)
            if let device = status.devices.first(where: { $0.state == "acknowledged" }) {
                throw StepFailure(
                    "device \(device.device) acknowledged \(canary.job) meanwhile: the phone was not away; do the step again"
                )
            }
        }
        run.saw("nothing was acknowledged for \(patience.silence)")
    }
}
