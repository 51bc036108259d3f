extension BrokerLint {
    /// Where messages of a queue may go when they die there. A policy without a key keeps the message's own, which may be
    /// any that led here.
    private func graves(of queue: String) -> Set<String> {
        var graves: Set<String> = []
        for policy in policies(of: queue, kind: "queues") {
            guard let exchange = policy.deadLetterExchange else { continue }
            if let key = policy.deadLetterKey {
                graves.formUnion(definitions.destinations(of: key, at: exchange))
            } else {
                graves.formUnion(definitions.bindings.filter { $0.source == exchange }.map(\.destination))
            }
        }
        return graves
    }

    /// A dead-letter exchange exists and takes the key; in `dead` a letter also reaches the index and nothing else.
    func deadLettersArrive() -> [Finding] {
        definitions.policies.flatMap { policy -> [Finding] in
            guard let exchange = policy.deadLetterExchange else { return [] }
            let subject = "policy \(policy.name)"
            guard definitions.exchanges.contains(where: { $0.name == exchange }) else {
                return [Finding(subject, "no such dead-letter exchange: \(exchange)")]
            }
            guard let key = policy.deadLetterKey else {
                let takesAll = definitions.bindings.contains { $0.source == exchange && $0.routingKey == "#" }
                return takesAll ? [] : [Finding(subject, "keeps the key, but \(exchange) does not take every key")]
            }
            let reached = definitions.destinations(of: key, at: exchange)
            if reached.isEmpty { return [Finding(subject, "dead letters with key \(key) reach no queue")] }
            guard exchange == "dead" else { return [] }
            return reached == [key, "dead.index"].sorted()
                ? []
                : [
                    Finding(
                        subject, "dead letters must reach \(key) and dead.index, not \(reached.joined(separator: ", "))"
                    )
                ]
        }
    }

    /// A way back to the own source sticks there on 3.10 and goes round for ever elsewhere.
    func deadLettersNeverReturn() -> [Finding] {
        definitions.queues.compactMap { queue in
            var seen: Set<String> = []
            var open = Array(graves(of: queue.name))
            while let next = open.popLast() {
                guard seen.insert(next).inserted else { continue }
                open += graves(of: next)
            }
            return seen.contains(queue.name) ? Finding("queue \(queue.name)", "its dead letters lead back to it") : nil
        }
    }
}
