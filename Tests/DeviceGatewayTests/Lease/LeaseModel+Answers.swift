/// What a device is told by a call that is one whole transaction.
extension LeaseModel {
    func answer(to step: Step) -> String? {
        switch step {
        case .grant(let number, _): grantAnswer(number)
        case .renew(let number, let epoch):
            refusal(number) ?? (!isCurrent(number, epoch) ? "fenced" : left > 0 ? "renewed" : "expired")
        case .release(let number, let epoch):
            // Also when it was before.
            refusal(number) ?? (holder == number && self.epoch == epoch ? "released" : "fenced")
        case .check(let number, let epoch): submissionAnswer(number, epoch)
        default: nil
        }
    }

    /// Whether a grant would need an epoch more than the model has.
    func isAtItsEnd(for step: Step) -> Bool {
        if case .grant(let number, _) = step, newest == Self.lastEpoch {
            grantAnswer(number) == "granted" && !repeats(number)
        } else {
            false
        }
    }

    /// Whether the device's attempt is the one that holds the lease.
    private func repeats(_ number: Int) -> Bool { isCurrent(number, devices[number].attempt) && left > 0 }

    private func refusal(_ number: Int) -> String? {
        devices[number].isActive ? lease == .done ? "already_done" : nil : "revoked"
    }

    private func grantAnswer(_ number: Int) -> String {
        if let refusal = refusal(number) { return refusal }
        if devices[number].attempt != 0 { return repeats(number) ? "granted" : "attempt_spent" }
        return lease == .held && left > 0 ? "held" : "granted"
    }

    private func submissionAnswer(_ number: Int, _ claimed: Int8) -> String {
        guard devices[number].isActive else { return "revoked" }
        if lease == .done { return holder == number && epoch == claimed ? "replayed" : "already_done" }
        return !isCurrent(number, claimed) ? "fenced" : hardLeft > 0 ? "accepted" : "expired"
    }
}
