import Delivery

/// What has to be true after every campaign, whatever befell the system: nothing lost, nothing stuck, nothing twice.
struct ConservationCheck: Sendable {
    let allowance: Allowance

    func violations(in history: CampaignHistory) -> [Violation] {
        var found: [Violation] = []
        if history.entries.isEmpty { found.append(Violation(.wasFelt, nil, "no hint was committed")) }
        let refused = Set(
            history.entries.lazy.filter { $0.refusals > 0 }.compactMap(\.device).filter(history.gone.contains))
        for entry in history.entries { found += violations(of: entry, refused) }
        found += history.leftovers.map { Violation(.ends, $0.entry, "is still due: \($0.detail)") }
        found += history.leaseFaults.map { Violation(.hasOneHolder, $0.entry, $0.what) }
        for letter in history.deadLetters where !(letter.isEvent && allowance.buriedEvents) && !letter.isOfToken {
            found.append(Violation(.isNotBuried, letter.entry, letter.reason))
        }
        found += tokenLetters(history)
        if !allowance.lostEvents {
            found += history.unseenEvents.map { Violation(.eventArrives, $0, "reached no queue") }
        }
        for hold in history.holds {
            for claim in history.claims where hold.from < claim.at && claim.at < hold.to {
                let after = Double(claim.at - hold.from) / 1e6
                found.append(
                    Violation(.waits, claim.entry, "seq \(claim.seq) was claimed \(after) s into: \(hold.what)"))
            }
        }
        found += history.cleared.subtracting(history.gone).map {
            Violation(.keepsTokens, $0, "a device lost a token that the provider still knows")
        }
        for calm in history.calms { found += disturbed(calm, history.entries) }
        found += history.memories.compactMap(grown)
        found += history.replay.map(replayed) ?? []
        for (effect, count) in history.effects.sorted(by: { $0.key < $1.key }) where count == 0 {
            found.append(Violation(.wasFelt, nil, "\(effect): never"))
        }
        return found
    }

    /// Whoever reads the dead letters finds each hint that failed with its token, and no other.
    private func tokenLetters(_ history: CampaignHistory) -> [Violation] {
        let written = history.deadLetters.filter(\.isOfToken).map(\.entry)
        let failed = history.entries.filter { $0.state == "failed" && $0.reason == "token" }.map(\.id)
        // A dead letter is announced by an event, and may be lost with the broker's disk as any other.
        let missing = allowance.lostEvents ? [] : Set(failed).subtracting(written)
        return missing.map { Violation(.isAccountedFor, $0, "failed without a dead letter") }
            + Set(written).subtracting(failed).map { Violation(.isNotBuried, $0, "token, and it did not fail") }
    }

    private func replayed(_ replay: CampaignHistory.Replay) -> [Violation] {
        var found = replay.rearmedTwice.map { Violation(.isReplayedOnce, $0, "was not re-armed exactly once") }
        found += replay.lostMessages.map { Violation(.isReplayedOnce, nil, "message \($0) is lost") }
        if replay.leftCopies != 0 {
            found.append(Violation(.isReplayedOnce, nil, "\(replay.leftCopies) copies too many in the dead queues"))
        }
        if replay.rates.isEmpty { found.append(Violation(.wasFelt, nil, "no life of a replayer lasted long enough")) }
        for rate in replay.rates {
            let share = rate / Double(replay.limit) - 1
            guard share > replay.tolerance || share < -replay.tolerance && replay.judgesSlowness else { continue }
            found.append(Violation(.holdsRate, nil, "\(Int(rate)) letters/s where \(replay.limit) were asked for"))
        }
        return found
    }

    private func disturbed(_ calm: CampaignHistory.Calm, _ entries: [CampaignHistory.Entry]) -> [Violation] {
        entries.compactMap { entry in
            guard let device = entry.device, calm.devices.contains(device), calm.from <= entry.createdAt,
                entry.createdAt <= calm.to
            else { return nil }
            let took = Duration.microseconds((entry.finishedAt ?? .max / 2) - entry.createdAt)
            return took <= calm.limit ? nil : Violation(.isUndisturbed, entry.id, "its end came after \(took)")
        }
    }

    private func grown(_ memory: CampaignHistory.Memory) -> Violation? {
        let samples = memory.samples
        guard samples.count >= 8 else {
            return Violation(.wasFelt, nil, "memory of \(memory.process): too few samples")
        }
        let second = samples[samples.count / 4..<samples.count / 2].max() ?? 0
        let last = samples[(samples.count * 3 / 4)...].max() ?? 0
        if Double(last) <= 1.2 * Double(second) { return nil }
        return Violation(.isSteady, nil, "\(memory.process): \(last) KiB in the last quarter, \(second) in the second")
    }

    /// `refused`: devices that lost their app, and a provider said so.
    private func violations(of entry: CampaignHistory.Entry, _ refused: Set<Identifier>) -> [Violation] {
        var found: [Violation] = []
        switch entry.state {
        case "accepted":
            if entry.acceptances == 0 {
                found.append(Violation(.isAccountedFor, entry.id, "accepted, but no provider accepted it"))
            }
        case "pending": found.append(Violation(.ends, entry.id, "is still pending"))
        case "failed" where entry.reason == "token" && entry.refusals > 0: break
        case "no_token" where entry.device.map(refused.contains) == true: break
        // The simulated providers refuse nothing else, so no sender has a reason to let it fail.
        default:
            let reason = entry.reason.isEmpty ? "" : " (\(entry.reason))"
            found.append(Violation(.isAccountedFor, entry.id, "ended \(entry.state)\(reason)"))
        }
        if entry.failures > entry.charged {
            found.append(
                Violation(.isNotCharged, entry.id, "\(entry.failures) failures for \(entry.charged) charged outcomes"))
        }
        if entry.silences > 0, !allowance.silences {
            found.append(Violation(.isNotSilent, entry.id, "\(entry.silences) silences"))
        }
        let bound = 1 + entry.ambiguous + entry.redelivered + entry.silences
        if entry.acceptances > bound {
            found.append(
                Violation(.isBounded, entry.id, "accepted \(entry.acceptances) times, at most \(bound) are explained"))
        }
        return found
    }
}
