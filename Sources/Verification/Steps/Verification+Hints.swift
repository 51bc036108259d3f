import Delivery

// Steps 1 to 4: the way without trouble.
extension Verification {
    func registration(_ run: inout StepRun) async throws {
        try await act(.logIn, &run)
        let first = try await devices(&run) { !$0.isEmpty }
        run.saw("\(first.count) device\(first.count == 1 ? "" : "s") of \(producer.account)")
        try await expectTokens(try await commit("after the login", &run), &run)
        try await act(.resetAccount, &run)
        _ = try await devices(&run) { !$0.isEmpty }
        try await expectTokens(try await commit("after the account reset", &run), &run)
    }

    /// Every device of the job has a token, and the job gets to its end.
    private func expectTokens(_ canary: Canary, _ run: inout StepRun) async throws {
        let status = try await wait(for: "hinted to every device", canary, &run) { status in
            status.devices.allSatisfy { $0.hint != "pending" }
        }
        for device in status.devices where !["accepted", "superseded"].contains(device.hint) {
            throw StepFailure(
                "the hint for device \(device.device) is \(device.hint) \(device.hintReason): its token is not registered"
            )
        }
        try await waitForCompletion(canary, &run)
    }

    func background(_ run: inout StepRun) async throws {
        try await act(.background, &run)
        let canary = try await commit("in the background", &run)
        // That a provider accepted a hint would prove nothing: somebody has to have come for the job.
        try await wait(for: "claimed by a device", canary, &run) { status in
            status.devices.contains { $0.claimedAt != nil }
        }
    }

    func targetedFetch(_ run: inout StepRun) async throws {
        try await act(.background, &run)
        let canary = try await commit("one hint, one fetch", &run)
        let status = try await wait(for: "acknowledged by every device", canary, &run) { status in
            status.devices.allSatisfy { $0.state == "acknowledged" }
        }
        for device in status.devices where device.origin != "hint" {
            throw StepFailure(
                "device \(device.device) came for it because of \(device.origin), not of the hint (which is \(device.hint))"
            )
        }
        let hints = status.timeline.filter { $0.what == "hint accepted" }.compactMap(\.device)
        guard Set(hints).count == hints.count else { throw StepFailure("more than one hint was accepted for a device") }
    }

    func exactlyOnce(_ run: inout StepRun) async throws {
        try await act(.background, &run)
        let canary = try await commit("exactly once", &run)
        try await act(.open, &run)
        let status = try await waitForCompletion(canary, &run)
        let submissions = status.timeline.count { $0.what == "submitted" }
        guard submissions == (canary.recipients.isEmpty ? 0 : 1) else {
            throw StepFailure("\(submissions) submissions were accepted")
        }
        if canary.recipients.isEmpty { run.saw("no recipient was named: downstream delivery was not looked at") }
    }

    private func devices(_ run: inout StepRun, until isThere: ([Identifier]) -> Bool) async throws -> [Identifier] {
        let end = ContinuousClock.now + patience.completion
        while true {
            let devices = try await producer.devices()
            if isThere(devices) { return devices }
            guard .now < end else { throw StepFailure("no device of \(producer.account) is enrolled") }
            try await Task.sleep(for: patience.poll)
        }
    }
}
