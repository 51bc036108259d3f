import FoundationEssentials
import Glibc
import LocalStack
import Postgres

/// Faults of relays.
extension Strike {
    func killRelays() async throws -> Felt {
        var kills: [FaultSchedule.Step: Int] = [:]
        for stroke in schedule.strokes {
            let victim = try await reached(stroke)
            kills[stroke.step, default: 0] += victim.isAtStep ? 1 : 0
            await fleet.kill(victim.member)
            await victim.gate?.open()
            try await fleet.replace(victim.member)
        }
        let expected = Set(schedule.strokes.map(\.step))
        return Felt(
            effects: Dictionary(
                uniqueKeysWithValues: expected.map { ("kills \($0.rawValue)", kills[$0, default: 0]) }))
    }

    /// A relay that is about to be struck.
    struct Victim {
        let member: RelayFleet.Member
        /// To be opened once it is struck.
        var gate: StepGate?
        /// False if nobody came to the step in time; it is struck where it is.
        var isAtStep = true
    }

    /// Waits for the step of the stroke.
    private func reached(_ stroke: FaultSchedule.Stroke) async throws -> Victim {
        let chosen = await fleet.members[stroke.relay]
        switch stroke.step {
        case .anywhere:
            try await hold(stroke.delay)
            return Victim(member: chosen)
        case .claiming: return try await waiting(at: .claiming, else: chosen)
        case .confirming: return try await waiting(at: .confirming, else: chosen)
        case .claimed: return try await holding(chosen, .toServer, for: stroke.delay / 10)
        case .published: return try await holding(chosen, .toClient, for: stroke.delay / 10)
        }
    }

    private func waiting(at step: StepGate.Step, else other: RelayFleet.Member) async throws -> Victim {
        let gate = try await StepGate.close(step, stage.database.settings)
        var name: String?
        // Shorter than the relays' lock time-out, after which the statement would fail by itself.
        let isWaiting = try await stage.comesTrue(within: .seconds(3)) {
            name = try await gate.waiter()
            return name != nil
        }
        return Victim(member: await fleet.member(named: name) ?? other, gate: gate, isAtStep: isWaiting)
    }

    /// On one of whose connections the bytes go nowhere, so that what it has just claimed stays where it is: the chosen one,
    /// or soon whoever claims most, because one of several may get next to nothing.
    func holding(
        _ chosen: RelayFleet.Member, _ direction: TCPProxy.Direction, for time: Duration
    ) async throws -> Victim {
        var member = chosen
        for attempt in 0..<12 {
            if attempt > 1 { member = await fleet.member(named: try await stage.audit.lastClaimer()) ?? chosen }
            let name = member.name
            member.proxy.freeze([direction])
            // What was through before is noted meanwhile, so that it is not taken for what is held.
            try await hold(.milliseconds(120))
            // Its questions are held too, after which it soon claims nothing more.
            if try await stage.comesTrue(within: .milliseconds(400), { try await stage.audit.isHolding(name) }) {
                try await hold(time)
                return Victim(member: member)
            }
            member.proxy.thaw()
            try await hold(.milliseconds(50))
        }
        member.proxy.freeze([direction])
        return Victim(member: member, isAtStep: false)
    }

    func freezeRelay() async throws -> Felt {
        for round in rounds {
            let victim = try await frozenWithRowsInHand(await fleet.members[round % fleet.members.count])
            try await hold(ChaosStage.lease)
            // What others take over stays theirs while no sender answers: the one that wakes up finds it in their hands.
            try await withoutSenders {
                // They wait until nobody can still say what became of its rows, longer if the recorders are busy.
                let before = try await takeOvers()
                _ = try await stage.comesTrue(within: ChaosStage.proofMargin + .seconds(20)) {
                    try await takeOvers() > before
                }
                // Whatever it had written goes out now, after its deadline; then it wants to note what became of it.
                victim.proxy.thaw()
                victim.process.child.signal(SIGCONT)
                try await hold(.seconds(1))
            }
        }
        return Felt(effects: ["rows taken over": try await takeOvers()])
    }

    private func takeOvers() async throws -> Int { try await stage.audit.claims().count { $0.seq > 1 } }

    /// Freezes a relay with hints in hand. What it had sent is still done and answered: only then is looked whether it kept
    /// some.
    private func frozenWithRowsInHand(_ chosen: RelayFleet.Member) async throws -> RelayFleet.Member {
        var member = chosen
        for _ in 0..<10 {
            member = try await holding(chosen, .toServer, for: .zero).member
            member.process.child.signal(SIGSTOP)
            try await hold(.milliseconds(1500))
            let name = member.name
            let isQuiet = try await stage.comesTrue(within: .seconds(3)) { try await !stage.audit.isBusy(name) }
            if isQuiet, try await stage.audit.heldRows(by: name).hints > 0 { return member }
            member.proxy.thaw()
            member.process.child.signal(SIGCONT)
        }
        member.proxy.freeze([.toServer])
        member.process.child.signal(SIGSTOP)
        return member
    }

    /// The relay's own log is the witness that its clock is off.
    func measureClock() async throws -> Felt {
        try await hold(min(scale.outage, .seconds(10)))
        let log = await fleet.members[0].process.child.log
        let hours = try Self.hours(ahead: log)
        return Felt(effects: [
            "hours \(fault == .clockAhead ? "ahead" : "behind")": fault == .clockAhead ? hours : -hours
        ])
    }

    private static func hours(ahead log: String) throws -> Int {
        let text = log.split(separator: "\n").compactMap { JSONLine($0)?.texts["time"] }.last ?? ""
        let time = try Date(text, strategy: Date.ISO8601FormatStyle(includingFractionalSeconds: true))
        return Int((time.timeIntervalSinceNow / 3600).rounded())
    }
}
