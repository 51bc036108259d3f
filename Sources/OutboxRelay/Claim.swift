import AMQP
import Delivery
import Postgres

/// A row of `due` and the token that fences everything that is later said about it.
struct Lease: Equatable, Sendable {
    let id: Int64
    let token: Int64
}

/// One leased row of `due`, ready to be published.
struct Claim: Sendable {
    enum Kind: Equatable, Sendable {
        case hint
        case event
    }

    let kind: Kind
    let lease: Lease
    let route: Int16
    let entry: Identifier
    let message: Message
    /// Published with nothing else on its way: it was on its way when relays died.
    let isSuspect: Bool
    /// When the row was written, by the database.
    let createdAt: Timestamp
    let claimedAt: Timestamp
    /// Whether no claim came before this one.
    let isFirst: Bool
    /// When this process had it, for durations.
    let takenAt: ContinuousClock.Instant

    /// What a breaker stands for: a queue, or an exchange with the first word of the key.
    var destination: String {
        switch kind {
        case .hint: message.routingKey
        case .event: "\(message.exchange)/\(message.routingKey.prefix { $0 != "." })"
        }
    }
}

/// What one claim statement did: rows to publish, and what became of the others it touched.
struct ClaimedBatch: Sendable {
    var claims: [Claim] = []
    /// Leased rows of which no message can be made, and why.
    var unreadable: [(kind: Claim.Kind, lease: Lease, reason: String)] = []
    /// Rows that were accounted for without a publish: moved, deferred, superseded, …, by verdict.
    var others: [String: Int] = [:]
    /// Where and how late every touched row was due.
    var places: [(share: Int, dueAt: Int64)] = []

    var touched: Int { places.count }
}
