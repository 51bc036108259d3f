/// The offline rules of `topology lint`. Each rule is a function of its own that returns what breaks it.
///
/// Names that only a deployment knows are stood in for: a route of each kind, an outsider's queue of each kind.
public struct BrokerLint {
    let definitions: BrokerDefinitions
    let users: [UserDefinition]

    public init(_ broker: DesiredBroker) {
        var definitions = broker.definitions
        let known = Set(definitions.queues.map(\.name))
        for sample in Self.samples where !known.contains(sample.queue) {
            definitions.add(queue: sample.queue, boundTo: sample.exchange, keys: [sample.key])
        }
        self.definitions = definitions
        users = broker.users
    }

    /// All findings, in the order of the rules.
    public func findings() -> [Finding] {
        namesAreUnique() + queuesAreQuorum() + exchangesAreDurable() + bindingsHaveEnds() + queuesAreReachable()
            + policiesMatch() + deliveryLimitsAreFinite() + deadLetteringIsSafe() + nothingExpires()
            + deadLettersArrive() + deadLettersNeverReturn() + onlyDownstreamHasAnAlternate() + keysAreRouted()
            + patternsAreWellFormed() + topicPermissionsAreComplete() + onlyAdministratorsConfigure()
            + nobodyWritesToTheDefaultExchange()
    }

    private static let samples: [(queue: String, exchange: String, key: String)] = [
        ("hints.apns.production.sample", "hints", "hints.apns.production.sample"),
        ("hints.apns.sandbox.sample", "hints", "hints.apns.sandbox.sample"),
        ("hints.fcm.sample", "hints", "hints.fcm.sample"),
        ("events.x.sample", "events", "job.completed"),
        ("downstream.x.sample", "downstream", "#"),
    ]

    /// The policies whose pattern finds the name; the broker uses one of them.
    func policies(of name: String, kind: String) -> [PolicyDefinition] {
        definitions.policies.filter { $0.applyTo == kind && NamePattern($0.pattern)?.finds(name) == true }
    }
}
