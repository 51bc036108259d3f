extension BrokerLint {
    func patternsAreWellFormed() -> [Finding] {
        let policies = definitions.policies.map { ("policy \($0.name)", [$0.pattern]) }
        let users = users.map { user in
            let own = [user.permissions.configure, user.permissions.write, user.permissions.read]
            return ("user \(user.name)", own + user.topicPermissions.values.sorted())
        }
        return (policies + users).flatMap { subject, patterns in
            patterns.filter { NamePattern($0) == nil }
                .map { Finding(subject, "not a regular expression: \($0)") }
        }
    }

    /// Without a topic permission a user with the right to write to the exchange may use any key.
    func topicPermissionsAreComplete() -> [Finding] {
        let topics = definitions.topicExchanges
        return users.flatMap { user -> [Finding] in
            let subject = "user \(user.name)"
            let write = NamePattern(user.permissions.write)
            let open = topics.filter { write?.finds($0) == true && user.topicPermissions[$0] == nil }
                .map { Finding(subject, "may write to \($0) with any key: give it a topic permission") }
            let idle = user.topicPermissions.keys.sorted().filter { exchange in
                !topics.contains(exchange) || write?.finds(exchange) != true
            }
            return open + idle.map { Finding(subject, "topic permission on \($0), which it may not write to") }
        }
    }

    /// Whoever configures can declare a queue whose own arguments beat a policy.
    func onlyAdministratorsConfigure() -> [Finding] {
        users.filter { $0.permissions.configure != UserDefinition.none && !$0.tags.contains("administrator") }
            .map { Finding("user \($0.name)", "only administrators may configure") }
    }

    /// The default exchange leads into every queue.
    func nobodyWritesToTheDefaultExchange() -> [Finding] {
        users.filter { user in
            !user.tags.contains("administrator")
                && ["", "amq.default", "amq.topic"].contains { name in
                    user.permissions.write != UserDefinition.none
                        && NamePattern(user.permissions.write)?.finds(name) == true
                }
        }
        .map { Finding("user \($0.name)", "may write to the broker's own exchanges") }
    }
}
