import AMQP
import Daemon
import Delivery
import Postgres
import Storage

extension Relay {
    /// Publishes one claim and notes what became of it.
    func publish(_ claim: Claim) async {
        let began = ContinuousClock.now
        if let fault = claim.message.fault {
            await settle(claim, .bury, reason: fault)
            metrics.buried("invalid").add()
            return ended(claim, "invalid")
        }
        switch breakers[claim.destination]?.admit(at: began) ?? .publish {
        case .wait(let delay):
            await settle(claim, .postpone, delay: delay, reason: "the destination refuses")
            return ended(claim, "held")
        case .publish: break
        }
        // The lease has to outlive the wait: a row of which nothing is known yet must not be claimed by another relay.
        let patience = min(configuration.confirmWithin, lease(of: claim) / 2)
        let result = await publisher.publish(claim.message, deadline: began + patience)
        switch result {
        case .confirmed:
            breakers[claim.destination]?.confirmed()
            metrics.confirmSeconds.observe(ContinuousClock.now - began)
            if claim.isFirst {
                metrics.commitToConfirmSeconds.observe(
                    (claim.claimedAt - claim.createdAt) + (ContinuousClock.now - claim.takenAt))
            }
            await settle(claim, claim.kind == .hint ? .confirmHint : .confirmEvent)
            ended(claim, "confirmed")
        case .nacked:
            await refused(claim, "nacked by the broker")
            ended(claim, "nacked")
        case .returned(let code, let text):
            await refused(claim, "returned by the broker: \(code) \(text)")
            ended(claim, "returned")
        case .unknown(let reason):
            breakers[claim.destination]?.undecided()
            Log.warning("publish unknown", [.entry: .string(claim.entry.description), .cause: .string(reason)])
            await settle(claim, .keepUnknown)
            ended(claim, "unknown")
        case .notWritten:
            breakers[claim.destination]?.undecided()
            await settle(claim, .release)
            ended(claim, "not_written")
        }
    }

    /// A claim that is not published after all.
    func giveBack(_ claim: Claim) async {
        await settle(claim, .release)
        ended(claim, "not_written")
    }

    private func refused(_ claim: Claim, _ reason: String) async {
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
        await settle(claim, .postpone, delay: delay, reason: reason)
    }

    private func settle(
        _ claim: Claim, _ verb: Settlement.Verb, delay: Duration = .zero, reason: String = ""
    ) async {
        let until = claim.takenAt + lease(of: claim)
        await settlements.add(
            Settlement(verb: verb, lease: claim.lease, delay: delay, reason: reason, until: until))
    }

    private func lease(of claim: Claim) -> Duration {
        claim.kind == .hint ? configuration.lease : configuration.eventLease
    }

    private func ended(_ claim: Claim, _ result: String) {
        // An unknown one may be in the queue.
        if result == "confirmed" || result == "unknown" {
            lanes[claim.route]?.flow.confirmed()
        } else {
            lanes[claim.route]?.flow.notQueued()
        }
        metrics.published(result).add()
        publishEnded()
    }
}

extension LogKey {
    static let destination: LogKey = "destination"
}
