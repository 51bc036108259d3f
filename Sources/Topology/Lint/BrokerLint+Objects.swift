extension BrokerLint {
    func namesAreUnique() -> [Finding] {
        let kinds = [
            ("exchange", definitions.exchanges.map(\.name)), ("queue", definitions.queues.map(\.name)),
            ("policy", definitions.policies.map(\.name)), ("user", users.map(\.name)),
        ]
        return kinds.flatMap { kind, names in
            Dictionary(grouping: names, by: \.self).filter { $0.value.count > 1 }.keys.sorted()
                .map { Finding("\(kind) \($0)", "defined more than once") }
        }
    }

    func queuesAreQuorum() -> [Finding] {
        definitions.queues.flatMap { queue in
            var findings: [Finding] = []
            if !queue.isQuorum { findings.append(Finding("queue \(queue.name)", "not a quorum queue")) }
            if !queue.durable || queue.autoDelete {
                findings.append(Finding("queue \(queue.name)", "must be durable and not auto-delete"))
            }
            let others = queue.arguments.keys.filter { $0 != "x-queue-type" }.sorted()
            findings += others.map {
                Finding("queue \(queue.name)", "argument \($0) cannot be changed later: make it a policy")
            }
            return findings
        }
    }

    func exchangesAreDurable() -> [Finding] {
        definitions.exchanges.flatMap { exchange in
            var findings: [Finding] = []
            if !exchange.durable || exchange.autoDelete || exchange.internal {
                findings.append(Finding("exchange \(exchange.name)", "must be durable, not auto-delete, not internal"))
            }
            if exchange.type == "direct" || exchange.type == "headers" {
                findings.append(
                    Finding(
                        "exchange \(exchange.name)", "permissions on keys need a topic exchange, not \(exchange.type)"))
            }
            findings += exchange.arguments.keys.sorted().map {
                Finding("exchange \(exchange.name)", "argument \($0) cannot be changed later: make it a policy")
            }
            return findings
        }
    }

    func bindingsHaveEnds() -> [Finding] {
        let exchanges = Set(definitions.exchanges.map(\.name))
        let queues = Set(definitions.queues.map(\.name))
        return definitions.bindings.flatMap { binding in
            let subject = "binding \(binding.source) → \(binding.destination) (\(binding.routingKey))"
            var findings: [Finding] = []
            if !exchanges.contains(binding.source) { findings.append(Finding(subject, "no such exchange")) }
            if binding.destinationType != "queue" || !queues.contains(binding.destination) {
                findings.append(Finding(subject, "no such queue"))
            }
            return findings
        }
    }

    func queuesAreReachable() -> [Finding] {
        let bound = Set(definitions.bindings.map(\.destination))
        return definitions.queues.filter { !bound.contains($0.name) }
            .map { Finding("queue \($0.name)", "no binding leads to it") }
    }

    /// Keys that services publish with; each must reach a queue, because a returned message is sent again for ever.
    func keysAreRouted() -> [Finding] {
        let routes = ["hints.apns.production.sample", "hints.apns.sandbox.sample", "hints.fcm.sample"]
        let events = [
            "job.committed", "job.submitted", "job.completed", "job.expired", "job.cancelled", "device.revoked",
            "device.acknowledged", "device.failed", "token.cleared",
        ]
        let results = ["ack", "outcome.apns.production.sample", "outcome.apns.sandbox.sample", "outcome.fcm.sample"]
        let dead = ["hints.apns.dead", "hints.fcm.dead", "coordinator.dead", "recorder.dead"]
        let replayed = ["coordinator.events", "recorder.acks", "recorder.outcomes"] + dead
        let published = [
            ("hints", routes), ("events", events), ("results", results), ("dead", dead), ("replay", replayed),
        ]
        return published.flatMap { exchange, keys in
            keys.filter { definitions.destinations(of: $0, at: exchange).isEmpty }
                .map { Finding("exchange \(exchange)", "key \($0) reaches no queue") }
        }
    }
}
