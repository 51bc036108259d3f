public import Delivery

/// One promise that a campaign found broken, and for whom.
public struct Violation: Equatable, Sendable, CustomStringConvertible {
    public enum Promise: String, Sendable {
        /// Every row comes to its end.
        case ends
        /// Every entry was accepted, or failed by a sender.
        case isAccountedFor = "is accounted for"
        /// No row is held by two relays at once, and only its holder writes to it.
        case hasOneHolder = "has one holder"
        /// An outage of ours charges no failure.
        case isNotCharged = "is not charged"
        /// No silence but where decision 2 has one.
        case isNotSilent = "is not silent"
        /// Decision 3: accepted(entry, life) ≤ 1 + ambiguous + redelivered + silences.
        case isBounded = "is bounded"
        /// Nobody buries or dead-letters what can be delivered.
        case isNotBuried = "is not buried"
        /// A confirmed event reaches its queue.
        case eventArrives = "event arrives"
        /// Nothing is published while nobody can say what became of it.
        case waits
        /// No token is taken out of use but those that are dead.
        case keepsTokens = "keeps its token"
        /// A fault of one route does not hold another one's hints back.
        case isUndisturbed = "is undisturbed"
        /// Memory in the last quarter of the work is at most 1.2 times that in the second.
        case isSteady = "is steady"
        /// A replay brings an entry back once, and takes nothing out of a queue that is not elsewhere.
        case isReplayedOnce = "is replayed once"
        /// A rate limit holds.
        case holdsRate = "holds its rate"
        /// The fault was felt: a campaign that misses proves nothing.
        case wasFelt = "was felt"
    }

    public let promise: Promise
    /// nil if it is about the campaign.
    public let entry: Identifier?
    public let detail: String

    init(_ promise: Promise, _ entry: Identifier? = nil, _ detail: String) {
        self.promise = promise
        self.entry = entry
        self.detail = detail
    }

    public var description: String { "\(promise.rawValue): \(entry.map { "\($0) " } ?? "")\(detail)" }
}
