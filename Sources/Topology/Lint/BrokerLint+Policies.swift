extension BrokerLint {
    /// Every queue has exactly one policy, and every policy something to hold for.
    func policiesMatch() -> [Finding] {
        let queues = definitions.queues.flatMap { queue -> [Finding] in
            let matches = policies(of: queue.name, kind: "queues").map(\.name)
            if matches.count == 1 { return [] }
            let problem =
                matches.isEmpty ? "no policy matches it" : "more than one policy: \(matches.joined(separator: ", "))"
            return [Finding("queue \(queue.name)", problem)]
        }
        let unused = definitions.policies.flatMap { policy -> [Finding] in
            guard policy.applyTo == "queues" || policy.applyTo == "exchanges" else {
                return [Finding("policy \(policy.name)", "apply-to must be queues or exchanges, not \(policy.applyTo)")]
            }
            let names =
                policy.applyTo == "queues" ? definitions.queues.map(\.name) : definitions.exchanges.map(\.name)
            let pattern = NamePattern(policy.pattern)
            let isUsed = names.contains { pattern?.finds($0) == true }
            return isUsed ? [] : [Finding("policy \(policy.name)", "matches nothing")]
        }
        return queues + unused
    }

    /// Without a limit a message that kills its consumer does so for ever.
    func deliveryLimitsAreFinite() -> [Finding] {
        definitions.policies.filter { $0.applyTo == "queues" && ($0.definition["delivery-limit"]?.number ?? 0) < 1 }
            .map { Finding("policy \($0.name)", "needs a delivery-limit of at least 1") }
    }

    /// At-least-once falls back silently unless all it asks for is there.
    func deadLetteringIsSafe() -> [Finding] {
        definitions.policies.flatMap { policy -> [Finding] in
            let subject = "policy \(policy.name)"
            guard policy.isAtLeastOnce else {
                guard policy.deadLetterExchange != nil else { return [] }
                return [Finding(subject, "dead-letters without dead-letter-strategy at-least-once: some would be lost")]
            }
            var findings: [Finding] = []
            if policy.definition["overflow"] != .text("reject-publish") {
                findings.append(Finding(subject, "at-least-once needs overflow reject-publish"))
            }
            if policy.deadLetterExchange == nil {
                findings.append(Finding(subject, "at-least-once needs a dead-letter-exchange"))
            }
            let pattern = NamePattern(policy.pattern)
            findings += definitions.queues.filter { !$0.isQuorum && pattern?.finds($0.name) == true }
                .map { Finding(subject, "at-least-once needs a quorum queue, \($0.name) is none") }
            return findings
        }
    }

    /// A queue that expires takes its messages with it, and times to wait are the outbox's affair.
    func nothingExpires() -> [Finding] {
        definitions.policies.flatMap { policy in
            ["expires", "message-ttl"].filter { policy.definition[$0] != nil }
                .map { Finding("policy \(policy.name)", "\($0) loses messages: the outbox holds what has to wait") }
        }
    }

    /// With an alternate exchange an unroutable message counts as routed and is never returned to its publisher.
    func onlyDownstreamHasAnAlternate() -> [Finding] {
        definitions.policies.flatMap { policy -> [Finding] in
            guard let alternate = policy.alternateExchange else { return [] }
            let pattern = NamePattern(policy.pattern)
            var findings = definitions.exchanges.filter { pattern?.finds($0.name) == true && $0.name != "downstream" }
                .map { Finding("exchange \($0.name)", "has an alternate exchange: what nobody takes would be lost") }
            if !definitions.exchanges.contains(where: { $0.name == alternate }) {
                findings.append(Finding("policy \(policy.name)", "no such exchange: \(alternate)"))
            }
            return findings
        }
    }
}
