import Daemon
import Delivery
import Messages

/// A dry run (B7): hints are taken, checked, counted and given back; no verdict touches a token or an entry.
extension RouteSender {
    /// Checks one hint; the relay publishes it again later, uncharged, for a sender that sends.
    func rehearse(_ hint: Hint, token: String, redelivered: Bool) async -> Outcome {
        let deadline = ContinuousClock.now + shared.settings.requestTimeout
        let rehearsal = await shared.courier.rehearse(hint, token: token, deadline: deadline)
        numbers.rehearsed(rehearsal)
        if case .unfit(let reason) = rehearsal {
            Log.warning(
                "dry run: this hint would not be accepted",
                [
                    .route: .of(route), .entry: .of(hint.entry), .fingerprint: .string(hint.fingerprint.short),
                    .reason: .string(reason),
                ])
        }
        return Outcome(
            of: hint, kind: .returnedUnprocessed, redelivered: redelivered, at: Instant.now(), reason: "dry run",
            retryAfter: Int(shared.settings.dryRunReturn.components.seconds))
    }

    /// Proves the route's credential now and then until its task is cancelled.
    func proveCredential() async {
        var last: String?
        while !Task.isCancelled {
            let refusal = await shared.courier.probe(route, deadline: .now + shared.settings.requestTimeout)
            numbers.credentialGood.set(refusal == nil ? 1 : 0)
            let finding = refusal?.reason ?? ""
            if finding != last {
                last = finding
                if let refusal {
                    Log.error(
                        "dry run: the credential is refused",
                        [
                            .route: .of(route), .reason: .string(refusal.reason),
                            .remedy: .string(Remedy.text(refusal.reason, .credential)),
                        ])
                } else {
                    Log.info("dry run: the credential is good", [.route: .of(route)])
                }
            }
            guard (try? await Task.sleep(for: shared.settings.pauseFirst)) != nil else { return }
        }
    }
}
