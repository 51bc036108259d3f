import AMQP
import Delivery
import Postgres

/// A row of `due` and the token that fences everything that is later said about it.
struct Lease: Equatable, Sendable {
    let id: Int64
    let token: Int64
}

/// One leased row of `due`, ready to be published. A class because it changes hands often and never itself.
final class Claim: Sendable {
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
    /// When this process asked for it, for durations: our view of a lease ends before the database's.
    let takenAt: ContinuousClock.Instant

    init(
        kind: Kind, lease: Lease, route: Int16, entry: Identifier, message: Message, isSuspect: Bool,
        createdAt: Timestamp,
        claimedAt: Timestamp, isFirst: Bool, takenAt: ContinuousClock.Instant
    ) {
        self.kind = kind
        self.lease = lease
        self.route = route
        self.entry = entry
        self.message = message
        self.isSuspect = isSuspect
        self.createdAt = createdAt
        self.claimedAt = claimedAt
        self.isFirst = isFirst
        self.takenAt = takenAt
    }

    /// What a breaker stands for: a queue, or an exchange with the first word of the key.
    var destination: String {
        switch kind {
        case .hint: message.routingKey
        case .event: "\(message.exchange)/\(message.routingKey.prefix { $0 != "." })"
        }
    }
}

/// The messages of one claim's rows.
struct ClaimedBatch: Sendable {
    var claims: [Claim] = []
    /// Leased rows of which no message can be made, and why.
    var unreadable: [(lease: Lease, reason: String)] = []
}
