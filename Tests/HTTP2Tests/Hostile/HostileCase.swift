import Testing

/// What a hostile server does, and what has to come of it.
struct HostileCase<Expected: Sendable>: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let expected: Expected
    /// How long the client is told to be patient. What is to come before that has a minute.
    let patience: Duration
    let act: @Sendable (HostilePeer) throws -> Void

    init(
        _ name: String, _ expected: Expected, patience: Duration = .seconds(60),
        act: @escaping @Sendable (HostilePeer) throws -> Void
    ) {
        testDescription = name
        self.expected = expected
        self.patience = patience
        self.act = act
    }
}

extension HostileCase<Void> {
    init(_ name: String, act: @escaping @Sendable (HostilePeer) throws -> Void) { self.init(name, (), act: act) }
}
