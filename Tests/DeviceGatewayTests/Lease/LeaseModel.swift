/// A defect planted in the model, numbered as in (d.4) of the specification.
enum PlantedDefect: Int, CaseIterable {
    case clockReadBeforeLock = 2
    case submitChecksOnlyExpiry = 3
    case submitChecksOnlyHolder = 4
    case deviceNotLockedOnSubmit = 12
    case leaseLostInCrash = 16
    case secondEpochForLostAnswer = 20
}

/// One job's lease and its devices, as values. Time is what is left of a lease and of its hard deadline, in ticks; a
/// paused device is one that takes no step, a resumed one may still use any grant whose answer it ever got.
struct LeaseModel: Hashable {
    static let timeToLive: Int8 = 1
    static let hardDeadline: Int8 = 2
    static let lastEpoch: Int8 = 4

    struct Device: Hashable {
        var isActive = true
        /// The grants whose answers arrived, a bit an epoch.
        var known: UInt8 = 0
        /// The epoch that its current attempt was granted; 0 = none, negative = one that is long over.
        var attempt: Int8 = 0
        /// Ticks since its acquire arrived, while it waits for the lease's lock.
        var acquiring: Int8?
        /// The epoch of a submission that has passed the check of the device and waits for the lease's lock.
        var submitting: Int8?
    }

    enum Step: Hashable {
        case tick, crash
        case arrive(Int), grant(Int, answerLost: Bool), forget(Int)
        case renew(Int, Int8), release(Int, Int8)
        case check(Int, Int8), submit(Int), revoke(Int)
        /// The coordinator's half of a revocation: what the device held is open for others.
        case sweep(Int)
    }

    enum Lease: Hashable { case open, held, done }

    var devices = [Device](repeating: Device(), count: 3)
    var lease = Lease.open
    var epoch: Int8 = 0
    var holder: Int?
    var left: Int8 = 0
    var hardLeft: Int8 = 0
    /// What the checker remembers and no server needs: the newest epoch of all, and who was accepted.
    var newest: Int8 = 0
    var accepted: Int8 = 0

    /// Every step that is possible now.
    func steps() -> [Step] {
        var steps: [Step] = [.crash]
        if left > 0 || hardLeft > 0 || devices.contains(where: { $0.acquiring == 0 }) { steps.append(.tick) }
        // One transaction at a time is caught between its two halves; the others run whole in between.
        let isCaught = devices.contains { $0.acquiring != nil || $0.submitting != nil }
        for (number, device) in devices.enumerated() {
            if !isCaught { steps.append(.arrive(number)) }
            if device.acquiring != nil || isCaught {
                steps += [.grant(number, answerLost: false), .grant(number, answerLost: true)]
            }
            if device.attempt != 0 { steps.append(.forget(number)) }
            for epoch in 1...Self.lastEpoch where device.known & (1 << epoch) != 0 {
                steps += [.renew(number, epoch), .release(number, epoch)]
                if !isCaught { steps.append(.check(number, epoch)) }
            }
            if device.submitting != nil { steps.append(.submit(number)) }
            if device.isActive { steps.append(.revoke(number)) }
            if !device.isActive, lease == .held, holder == number { steps.append(.sweep(number)) }
        }
        return steps
    }

    /// The one of all alike states that is kept: devices have no order, a spent attempt is as good as none, and nothing
    /// moves any more once the fan-out is done.
    var canonical: LeaseModel {
        if lease == .done {
            var done = LeaseModel()
            (done.lease, done.accepted) = (.done, accepted)
            return done
        }
        var state = self
        for number in devices.indices where devices[number].attempt != epoch || holder != number {
            state.devices[number].attempt = 0
        }
        return state.sorted.state
    }

    /// With its devices in an order that depends on nothing but what they are, and which they were.
    var sorted: (state: LeaseModel, order: [Int]) {
        var state = self
        let order = devices.indices.sorted { rank($0) < rank($1) }
        state.devices = order.map { devices[$0] }
        state.holder = holder.flatMap { order.firstIndex(of: $0) }
        return (state, order)
    }

    /// Tells devices apart by all that they are.
    private func rank(_ number: Int) -> Int {
        let device = devices[number]
        let caught = Int(device.acquiring ?? -1) + 1 + 3 * (Int(device.submitting ?? -1) + 1)
        return (holder == number ? 1 : 0) + 2 * (device.isActive ? 1 : 0) + 4 * Int(device.known)
            + 4 * 256 * Int(device.attempt + 1) + 4 * 256 * 8 * caught
    }
}
