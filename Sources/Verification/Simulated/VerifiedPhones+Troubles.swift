import Delivery
import DeviceFleet
import DeviceKit
import LocalStack

// What goes wrong around the phones in a step, so that it can be seen whether they bear it.
extension VerifiedPhones {
    func prepare(_ step: VerificationStep) async throws {
        for phone in phones {
            phone.network.calm()
            phone.record.watch(nil)
        }
        switch step {
        case .targetedFetch: try await leaveOnePending()
        case .exactlyOnce: try await loseAnswers()
        default: try await stack.control.follow(script: #"{"rules":[]}"#)
        }
    }

    /// A job that both phones were never told of, and the hint of the next one comes twice, the second time in the middle.
    private func leaveOnePending() async throws {
        for phone in phones { await phone.happen(.left) }
        try await stack.control.dropEveryHint()
        let silent = try await producer.commit("whose hint is lost", job: jobs.next())
        remember(silent)
        try await until("the lost hint was sent") {
            try await self.producer.status(of: silent.job).devices.allSatisfy { $0.hint == "accepted" }
        }
        try await stack.control.follow(script: #"{"rules":[]}"#)
        for phone in phones {
            phone.network.beforeNextClaim {
                guard let payload = await phone.lastPayload else { return }
                await phone.happen(.delivered(.message(PushMessage(payload: payload))))
            }
        }
    }

    /// No hint arrives, the answer to the first submission is lost, and each phone crashes as soon as it has acknowledged.
    private func loseAnswers() async throws {
        if let silent {
            for phone in phones { await phone.happen(.opened) }
            try await until("the job whose hint was lost was found by a sync") {
                try await self.producer.status(of: silent.job).state == "completed"
            }
        }
        for phone in phones { await phone.happen(.left) }
        try await stack.control.dropEveryHint()
        for phone in phones {
            phone.network.loseNextSubmitAnswer()
            phone.record.watch { entry in
                guard entry.step == .acknowledged else { return }
                phone.record.watch(nil)
                Task { await phone.happen(.processEnded) }
            }
        }
    }

    private func until(_ what: String, _ isThere: () async throws -> Bool) async throws {
        for _ in 0..<600 {
            if try await isThere() { return }
            try await Task.sleep(for: .milliseconds(50))
        }
        throw StepFailure("it did not come about that \(what)")
    }
}
