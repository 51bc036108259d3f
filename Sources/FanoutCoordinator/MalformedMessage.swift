import AMQP
import Daemon
import Messages

/// A message that cannot be read, as it goes to the dead-letter queue: its own bytes, and why.
struct MalformedMessage {
    let delivery: AMQP.Delivery
    let error: MessageError

    /// One word for operators' filters.
    var reason: String {
        switch error {
        case .malformed: "malformed"
        case .unknownVersion: "unknown_version"
        }
    }

    /// `now` in milliseconds since 1970, for display only.
    func message(now: Int64) -> Message {
        // The broker's own headers (`x-death` and the like) mean nothing in another message.
        var headers = delivery.headers.filter { name, _ in
            name.hasPrefix("md-") || name == Header.traceparent.rawValue
        }
        headers[Header.reason.rawValue] = .string(reason)
        headers[Header.failures.rawValue] = 1
        headers[Header.firstFailed.rawValue] = .integer(now)
        headers[Header.lastFailed.rawValue] = .integer(now)
        headers[Header.exchange.rawValue] = headers[Header.exchange.rawValue] ?? .string(delivery.exchange)
        headers[Header.key.rawValue] = headers[Header.key.rawValue] ?? .string(delivery.routingKey)
        return Message(
            exchange: "dead", routingKey: "coordinator.dead", messageID: delivery.messageID, type: delivery.type,
            headers: headers, body: delivery.body, contentType: delivery.contentType, appID: delivery.appID,
            correlationID: delivery.correlationID, timestamp: delivery.timestamp)
    }
}
