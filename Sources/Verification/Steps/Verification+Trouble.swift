import Delivery

// Steps 5 to 8: what phones and networks do to hints.
extension Verification {
    func permissionOff(_ run: inout StepRun) async throws {
        try await act(.denyAlerts, &run)
        try await act(.background, &run)
        let canary = try await commit("without permission to show anything", &run)
        do {
            try await waitForCompletion(canary, &run)
        } catch is StepFailure {
            // Neither platform promises a window without the permission; the queue is what may not be lost.
            run.saw("nothing came of the hint, which may be")
            try await act(.open, &run)
            try await waitForCompletion(canary, &run)
        }
        try await act(.allowAlerts, &run)
    }

    func offline(_ run: inout StepRun) async throws {
        try await act(.background, &run)
        try await act(.goOffline, &run)
        // APNs keeps the latest hint alone, so the first of them is found by the listing or never; it has the lowest id, so
        // whoever lists only what is above the last one seen loses it.
        var canaries: [Canary] = []
        for first in [0x00, 0x80, 0xFF] as [UInt8] {
            var bytes = jobs.next().bytes
            bytes[0] = first
            if first == 0 { bytes[1] = 0 }
            canaries.append(try await commit("while offline", &run, job: Identifier(bytes: bytes)))
        }
        try await waitInSilence(canaries, &run)
        try await act(.goOnline, &run)
        try await act(.open, &run)
        for canary in canaries { try await waitForCompletion(canary, &run) }
    }

    func forceQuit(_ run: inout StepRun) async throws {
        try await act(.forceQuit, &run)
        let canary = try await commit("after the force-quit", &run)
        try await waitInSilence([canary], &run)
        try await act(.open, &run)
        let status = try await waitForCompletion(canary, &run)
        for device in status.devices where device.state == "acknowledged" && device.origin == "hint" {
            // Android delivers again once the app was opened; on iOS only the sync can have done it.
            run.saw("device \(device.device) came because of the hint")
        }
    }

    func tokens(_ run: inout StepRun) async throws {
        try await act(.rotateToken, &run)
        try await act(.background, &run)
        let rotated = try await commit("after the token rotated", &run)
        let status = try await waitForCompletion(rotated, &run)
        for device in status.devices where device.state == "acknowledged" && device.hint == "failed" {
            throw StepFailure("the hint for device \(device.device) failed: \(device.hintReason)")
        }
        try await act(.removeApp, &run)
        let refused = try await commit("for a token that is no more", &run)
        let answer = try await wait(for: "refused by the provider", refused, within: patience.deadToken, &run) {
            status in
            status.devices.contains { $0.hint == "failed" }
                && status.devices.allSatisfy { $0.hint == "failed" || $0.state != "pending" }
        }
        let dead = answer.devices.filter { $0.hint == "failed" }
        guard dead.allSatisfy({ $0.hintReason.contains("token") }) else {
            throw StepFailure("the hint failed for another reason: \(answer.summary)")
        }
        let gone = Set(dead.map(\.device))
        try await act(.installAgain, &run)
        let last = try await commit("after the app came back", &run)
        let end = try await wait(for: "acknowledged by the phone that came back", last, &run) { status in
            let others = status.devices.filter { !gone.contains($0.device) }
            return !others.isEmpty && others.allSatisfy { $0.state == "acknowledged" }
        }
        for device in end.devices where gone.contains(device.device) && device.hint == "accepted" {
            throw StepFailure("a hint for the removed app of device \(device.device) was accepted")
        }
    }
}
