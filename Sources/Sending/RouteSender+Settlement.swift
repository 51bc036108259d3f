import Cryptography
import Daemon
import Delivery
import Messages

extension RouteSender {
    /// How one delivery ends.
    enum Settlement {
        case outcome(Outcome)
        case deadLetter(reason: String, status: Int?)
    }

    /// Decides, sends where that is right, and lets the answer count for the route's pause.
    func settlement(of hint: Hint, _ key: AcceptanceMemory.Key, redelivered: Bool) async -> Settlement {
        func returned(_ kind: OutcomeKind, pause: String? = nil) -> Settlement {
            .outcome(Outcome(of: hint, kind: kind, redelivered: redelivered, at: Instant.now(), pause: pause))
        }
        if let id = shared.acceptances.id(of: key) {
            numbers.remembered.add()
            let providerID = id ?? (route.provider == .apns ? hint.entry.description : nil)
            return .outcome(
                Outcome(
                    of: hint, kind: .accepted, redelivered: redelivered, at: Instant.now(), providerID: providerID,
                    remembered: true))
        }
        await pace()
        await takeSlot()
        defer { freeSlot() }
        let now = Instant.now()
        let isLate = !check.mayStart(deadline: hint.deadline, now: now)
        if clock.saw(publishedAt: hint.publishedAt, deadline: hint.deadline, isLate: isLate, now: now) {
            await faultHappened("clock", .process)
        }
        if isLate { return returned(.returnedLate) }
        if isStopping { return returned(.returnedStopping) }
        if let pause = machine.refusal { return returned(.returnedPaused, pause: pause.reason) }
        let token: String
        do throws(TokenVaultError) {
            token = try open(hint)
        } catch {
            Log.error("token does not open", [.entry: .of(hint.entry), .cause: .of(error)])
            switch error {
            case .doesNotOpen: return .deadLetter(reason: "malformed", status: nil)
            case .unknownKey:
                await faultHappened(error.description, .process)
                return returned(.returnedPaused, pause: error.description)
            }
        }
        if shared.settings.isDryRun {
            return .outcome(await rehearse(hint, token: token, redelivered: redelivered))
        }
        let isProbe = machine.probed != nil
        let (ending, judgement) = await send(hint, token: token)
        return await settle(hint, key, ending, judgement, redelivered: redelivered, isProbe: isProbe)
    }

    private func open(_ hint: Hint) throws(TokenVaultError) -> String {
        let subject = TokenSubject(
            device: hint.device.bytes, provider: route.provider.rawValue, app: route.app,
            environment: route.environment)
        return try shared.vault.open(hint.token.sealed, keyID: hint.token.key, for: subject)
    }

    private func send(_ hint: Hint, token: String) async -> (Ending, Judgement) {
        var tries = Tries(limit: shared.settings.tries)
        // What was not processed goes elsewhere at once; only from the second time on it waits a moment.
        var pause = Duration.zero
        while true {
            let began = ContinuousClock.now
            let judgement = await shared.courier.send(
                hint, token: token, deadline: began + shared.settings.requestTimeout)
            numbers.latency.observe(ContinuousClock.now - began)
            numbers.judged(judgement)
            let mayStart =
                !isStopping && machine.refusal == nil && check.mayStart(deadline: hint.deadline, now: Instant.now())
            switch tries.next(after: judgement, mayStart: mayStart) {
            case .end(let ending):
                if judgement.verdict == .holdCredentials { await shared.courier.holdCredential(of: route) }
                if case .accepted = ending { return (ending, judgement) }
                Log.debug(
                    "not accepted",
                    [
                        .route: .of(route), .entry: .of(hint.entry), .fingerprint: .string(hint.fingerprint.short),
                        .reason: .string(judgement.reason),
                    ])
                return (ending, judgement)
            case .renewCredentialThenAgain: await shared.courier.renewCredential(of: route)
            case .again:
                // An answer of the provider that asks for another connection; without one the pool has moved on already.
                if judgement.status != nil { await shared.courier.reconnect(route) }
                if pause > .zero { try? await Task.sleep(for: pause) }
                pause = max(pause * 2, .milliseconds(50))
            }
        }
    }

    private func settle(
        _ hint: Hint, _ key: AcceptanceMemory.Key, _ ending: Ending, _ judgement: Judgement, redelivered: Bool,
        isProbe: Bool
    ) async -> Settlement {
        var ending = ending
        switch ending {
        case .accepted(let id):
            shared.acceptances.accepted(key, id: id)
            faults.accepted()
            throttle.accepted()
            trouble = 0
            _ = brake.answered(suspicion: false)
            if isProbe { await perform(machine.probeSucceeded()) }
        case .tokenDead:
            trouble = 0
            _ = brake.answered(suspicion: false)
            if isProbe { await perform(machine.probeSucceeded()) }
        case .tokenSuspect:
            trouble = 0
            if brake.answered(suspicion: true) {
                await faultHappened("token suspicions: \(judgement.reason)", .route)
            } else if isProbe {
                await probeFailed(judgement.reason)
            }
        case .deferred(_, let scope):
            trouble = 0
            // A device's own quota is the recorder's business.
            if scope == .route { slowDown() }
            if isProbe { await probeFailed(judgement.reason) }
        case .ambiguous:
            if judgement.status != nil { trouble = 0 }
            if isProbe { await probeFailed(judgement.reason) }
        case .unprocessed:
            if judgement.status == nil, !isStopping { trouble += 1 }
            if trouble >= shared.settings.troubleLimit {
                trouble = 0
                await faultHappened(judgement.reason, .process)
            } else if isProbe {
                await probeFailed(judgement.reason)
            }
        case .paused(let extent): await faultHappened(judgement.reason, extent)
        case .faulty:
            if !isProbe, faults.shouldBury() {
                Log.error(
                    "faulty request buried: the next one pauses the route",
                    [.route: .of(route), .entry: .of(hint.entry), .reason: .string(judgement.reason)])
                return .deadLetter(reason: "faulty_request", status: judgement.status)
            }
            await faultHappened(judgement.reason, .route)
            ending = .paused(.route)
        }
        guard
            let outcome = Outcome(
                of: hint, ending, judgement, redelivered: redelivered, probe: isProbe, at: Instant.now())
        else { return .deadLetter(reason: "faulty_request", status: judgement.status) }
        return .outcome(outcome)
    }
}
