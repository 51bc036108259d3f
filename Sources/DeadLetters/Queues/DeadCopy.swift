import AMQP
import Messages

/// What a pass does with one message of a dead-letter queue.
enum CopyFate: Equatable, Sendable {
    /// Its letter is closed, so nobody needs the copy.
    case remove
    /// Byte for byte to the queue that failed.
    case replay(to: String)
    /// To the end of its own queue.
    case rotate
}

/// One message of a dead-letter queue beside what the index knows of it.
struct DeadCopy {
    let delivery: AMQP.Delivery
    let queue: DeadQueue
    /// Its letter, if it is indexed by now.
    var letter: Int64?
    var state: String?

    /// How often it was replayed, or a hint's seq: a part of the letter's key.
    var number: Int {
        let header = delivery.type.hasPrefix("hint.") ? Header.seq : Header.replay
        return Int(clamping: delivery.headers[header.rawValue]?.integer ?? 0)
    }

    func fate(selected: Set<Int64>) -> CopyFate {
        guard let letter, let state else { return .rotate }
        guard state == "open" else { return .remove }
        guard selected.contains(letter), let origin = queue.origin(of: delivery) else { return .rotate }
        return .replay(to: origin)
    }

    /// The same message for another queue: the same id, properties, bytes and headers of ours. A replay has none of the
    /// broker's headers, which would make the queue count it as dead already, and says how often it was replayed; a
    /// rotation keeps the broker's word for why it is here.
    static func message(_ delivery: AMQP.Delivery, to queue: String, isReplay: Bool) -> Message {
        var headers = delivery.headers.filter { isReplay ? !$0.key.hasPrefix("x-") : $0.key != "x-delivery-count" }
        if isReplay {
            headers[Header.replay.rawValue] = .integer((headers[Header.replay.rawValue]?.integer ?? 0) + 1)
        }
        return Message(
            exchange: "replay", routingKey: queue, messageID: delivery.messageID, type: delivery.type, headers: headers,
            body: delivery.body, contentType: delivery.contentType, appID: delivery.appID,
            correlationID: delivery.correlationID, timestamp: delivery.timestamp)
    }
}
