/// What is wrong with a step, by the number of the invariant.
struct BrokenInvariant: Error, Equatable {
    var invariant: String
    var what: String
}

extension LeaseModel {
    /// The state after a step; throws what a step breaks.
    func after(_ step: Step, _ defect: PlantedDefect? = nil) throws(BrokenInvariant) -> LeaseModel {
        var next = self
        switch step {
        case .tick:
            next.left = max(0, left - 1)
            next.hardLeft = max(0, hardLeft - 1)
            for number in devices.indices where devices[number].acquiring == 0 { next.devices[number].acquiring = 1 }
        case .crash:
            // The server's: open transactions are rolled back, their locks are gone, what was committed stays.
            for number in devices.indices {
                next.devices[number].acquiring = nil
                next.devices[number].submitting = nil
            }
            if defect == .leaseLostInCrash, lease != .done { (next.lease, next.epoch, next.holder) = (.open, 0, nil) }
        case .arrive(let number): next.devices[number].acquiring = 0
        case .grant(let number, let lost): try next.grant(number, answerLost: lost, defect)
        case .forget(let number): next.devices[number].attempt = 0
        case .renew(let number, let epoch):
            if isCurrent(number, epoch), left > 0, devices[number].isActive {
                next.left = min(Self.timeToLive, hardLeft)
            }
        case .release(let number, let epoch):
            if isCurrent(number, epoch), devices[number].isActive { (next.lease, next.left) = (.open, 0) }
        case .check(let number, let epoch): if devices[number].isActive { next.devices[number].submitting = epoch }
        case .submit(let number): try next.submit(number, defect)
        case .revoke(let number):
            // Waits for the lock of the device that a submission took.
            if devices[number].submitting != nil, defect != .deviceNotLockedOnSubmit { return self }
            next.devices[number].isActive = false
        case .sweep(let number):
            if lease == .held, holder == number { (next.lease, next.left) = (.open, 0) }
        }
        return next
    }

    func isCurrent(_ number: Int, _ epoch: Int8) -> Bool {
        lease == .held && holder == number && self.epoch == epoch
    }

    private mutating func grant(_ number: Int, answerLost: Bool, _ defect: PlantedDefect?) throws(BrokenInvariant) {
        let age = devices[number].acquiring ?? 0
        devices[number].acquiring = nil
        guard devices[number].isActive, lease != .done else { return }
        let stale = defect == .clockReadBeforeLock ? age : 0
        if devices[number].attempt != 0, defect != .secondEpochForLostAnswer {
            if isCurrent(number, devices[number].attempt), left > 0, !answerLost {
                devices[number].known |= 1 << devices[number].attempt
            }
            return
        }
        let isOwn = defect == .secondEpochForLostAnswer && holder == number
        if lease == .held, left > 0, !isOwn { return }
        guard newest < Self.lastEpoch else { return }
        if lease == .held, left > 0 { throw BrokenInvariant(invariant: "I-12", what: "granted while a lease runs") }
        epoch += 1
        if epoch != newest + 1 { throw BrokenInvariant(invariant: "I-12", what: "epoch \(epoch) after \(newest)") }
        (lease, holder, newest) = (.held, number, epoch)
        (left, hardLeft) = (Self.timeToLive - stale, Self.hardDeadline - stale)
        if left < Self.timeToLive { throw BrokenInvariant(invariant: "I-12", what: "shorter than the device is told") }
        devices[number].attempt = epoch
        if !answerLost { devices[number].known |= 1 << epoch }
    }

    private mutating func submit(_ number: Int, _ defect: PlantedDefect?) throws(BrokenInvariant) {
        let claimed = devices[number].submitting ?? 0
        devices[number].submitting = nil
        // A repetition of the accepted one is replayed (I-15), all else is refused: nothing changes either way.
        guard lease != .done else { return }
        let accepts =
            switch defect {
            case .submitChecksOnlyExpiry: lease == .held && left > 0
            case .submitChecksOnlyHolder: lease == .held && holder == number && hardLeft > 0
            // The device was looked at before; its lease is still what the submission read with it.
            case .deviceNotLockedOnSubmit: epoch == claimed && holder == number && hardLeft > 0
            default: isCurrent(number, claimed) && hardLeft > 0
            }
        guard accepts else { return }
        if !devices[number].isActive { throw BrokenInvariant(invariant: "I-16", what: "accepted after revocation") }
        if claimed != newest || holder != number {
            throw BrokenInvariant(invariant: "I-13", what: "epoch \(claimed) of \(newest) accepted")
        }
        if hardLeft == 0 { throw BrokenInvariant(invariant: "I-13", what: "accepted after the hard deadline") }
        accepted += 1
        if accepted > 1 { throw BrokenInvariant(invariant: "I-14", what: "a second effect") }
        (lease, left, hardLeft) = (.done, 0, 0)
    }
}
