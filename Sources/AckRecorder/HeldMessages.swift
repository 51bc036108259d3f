import AMQP

/// Messages that change a row which somebody holds. They stay with this recorder, unacknowledged, and are taken up again
/// now and then, one by one, while everything else goes on.
struct HeldMessages<Item: Sendable> {
    /// For a lock, of a message that is recorded alone because of it.
    static var lockWait: Duration { .milliseconds(200) }
    /// Between two attempts at the oldest.
    static var pause: Duration { .seconds(1) }

    private var messages: [(delivery: AMQP.Delivery, item: Item)] = []
    private var nextTry: ContinuousClock.Instant?

    var isEmpty: Bool { messages.isEmpty }
    var count: Int { messages.count }

    /// The next attempt, also at those before it, is a pause away.
    mutating func setAside(_ delivery: AMQP.Delivery, _ item: Item) {
        messages.append((delivery, item))
        nextTry = .now + Self.pause
    }

    /// The oldest, if it is time; the caller records it or sets it aside again.
    mutating func next() -> (delivery: AMQP.Delivery, item: Item)? {
        guard !messages.isEmpty, nextTry.map({ $0 <= .now }) ?? true else { return nil }
        return messages.removeFirst()
    }
}
