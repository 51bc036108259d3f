import AMQP
import Daemon
import Delivery
import Postgres
import Storage

extension Relay {
    /// How one claim ended: its label in the metrics, and what is to be written about the row.
    struct Ending {
        let claim: Claim
        let result: String
        let settlement: Settlement
    }

    /// Publishes claims that the window has room for, and notes what becomes of each.
    func publish(_ claims: [Claim]) async {
        let began = ContinuousClock.now
        var admitted: [Claim] = []
        var refused: [Ending] = []
        for claim in claims {
            if let ending = obstacle(to: claim, at: began) { refused.append(ending) } else { admitted.append(claim) }
        }
        if !refused.isEmpty { await over(refused) }
        guard !admitted.isEmpty else { return }
        // The lease has to outlive the wait: a row of which nothing is known yet must not be claimed by another relay.
        let patience = min(configuration.confirmWithin, configuration.lease / 2, configuration.eventLease / 2)
        for await group in await publisher.publish(admitted.map(\.message), deadline: began + patience) {
            let now = ContinuousClock.now
            if let unknown = group.first(where: \.result.isUnknown) {
                let entry = admitted[unknown.index].entry.description
                Log.warning(
                    "publishes unknown",
                    [
                        .count: .integer(Int64(group.count(where: \.result.isUnknown))), .entry: .string(entry),
                        .cause: .string("\(unknown.result)"),
                    ])
            }
            metrics.confirmSeconds.observe(now - began, times: group.count { $0.result == .confirmed })
            await over(group.map { ending(of: admitted[$0.index], $0.result, now: now) })
        }
    }

    /// Why a claim is not published, if it is not.
    private func obstacle(to claim: Claim, at now: ContinuousClock.Instant) -> Ending? {
        if let fault = claim.message.fault {
            metrics.buried("invalid").add()
            return Ending(claim: claim, result: "invalid", settlement: settlement(claim, .bury, reason: fault))
        }
        // Half the lease went by while it was held: it may not be confirmed before somebody else has the row.
        if now - claim.takenAt > lease(of: claim) / 2 {
            return Ending(claim: claim, result: "not_written", settlement: settlement(claim, .release))
        }
        guard !breakers.isEmpty, case .wait(let delay)? = breakers[claim.destination]?.admit(at: now) else {
            return nil
        }
        let settlement = settlement(claim, .postpone, delay: delay, reason: "the destination refuses")
        return Ending(claim: claim, result: "held", settlement: settlement)
    }

    private func ending(
        of claim: Claim, _ result: PublishResult, now: ContinuousClock.Instant
    ) -> Ending {
        switch result {
        case .confirmed:
            if !breakers.isEmpty { breakers[claim.destination]?.confirmed() }
            if claim.isFirst {
                metrics.commitToConfirmSeconds.observe(
                    (claim.claimedAt - claim.createdAt) + (now - claim.takenAt))
            }
            let verb: Settlement.Verb = claim.kind == .hint ? .confirmHint : .confirmEvent
            return Ending(claim: claim, result: "confirmed", settlement: settlement(claim, verb))
        case .nacked:
            return Ending(claim: claim, result: "nacked", settlement: refused(claim, "nacked by the broker"))
        case .returned(let code, let text):
            let settlement = refused(claim, "returned by the broker: \(code) \(text)")
            return Ending(claim: claim, result: "returned", settlement: settlement)
        case .unknown:
            breakers[claim.destination]?.undecided()
            return Ending(claim: claim, result: "unknown", settlement: settlement(claim, .keepUnknown))
        case .notWritten:
            breakers[claim.destination]?.undecided()
            return Ending(claim: claim, result: "not_written", settlement: settlement(claim, .release))
        }
    }

    private func refused(_ claim: Claim, _ reason: String) -> Settlement {
        let now = ContinuousClock.now
        var breaker =
            breakers[claim.destination]
            ?? RelayBreaker(first: configuration.breakerFirst, longest: configuration.breakerLongest)
        let wasOpen = breaker.isOpen
        let delay = breaker.refused(at: now)
        breakers[claim.destination] = breaker
        if !wasOpen {
            Log.warning("destination refuses", [.destination: .string(claim.destination), .cause: .string(reason)])
        }
        return settlement(claim, .postpone, delay: delay, reason: reason)
    }

    func settlement(
        _ claim: Claim, _ verb: Settlement.Verb, delay: Duration = .zero, reason: String = ""
    ) -> Settlement {
        Settlement(
            verb: verb, lease: claim.lease, delay: delay, reason: reason, until: claim.takenAt + lease(of: claim))
    }

    private func lease(of claim: Claim) -> Duration {
        claim.kind == .hint ? configuration.lease : configuration.eventLease
    }

    /// Claims that were handed over have ended: the window has room again.
    private func over(_ endings: [Ending]) async {
        window.ended(endings.count)
        metrics.inFlight.set(window.inFlight)
        windowChanged()
        await ended(endings)
    }

    /// Counts what became of claims and has it written.
    func ended(_ endings: [Ending]) async {
        var counts: [String: Int] = [:]
        for ending in endings {
            counts[ending.result, default: 0] += 1
            // An unknown one may be in the queue.
            if ending.result == "confirmed" || ending.result == "unknown" {
                lanes[ending.claim.route]?.flow.confirmed()
            } else {
                lanes[ending.claim.route]?.flow.notQueued()
            }
        }
        for (result, count) in counts { metrics.published(result).add(count) }
        await settlements.add(endings.map(\.settlement))
    }
}

extension PublishResult {
    fileprivate var isUnknown: Bool { if case .unknown = self { true } else { false } }
}

extension LogKey {
    static let destination: LogKey = "destination"
    static let count: LogKey = "count"
}
