import AMQP
import Delivery
import Messages

extension AMQP.Message {
    /// The dead letter of a message that this sender alone can judge (B3): the same id, type and body, with what is known
    /// of the failure in the headers. `now` is epoch milliseconds.
    static func deadLetter(
        of message: AMQP.Delivery, route: Route, reason: String, status: Int? = nil, now: Int64
    ) -> AMQP.Message {
        var headers = message.headers.filter {
            $0.key == Messages.Header.traceparent.rawValue || $0.key.hasPrefix("md-")
        }
        func set(_ header: Messages.Header, _ value: HeaderValue) { headers[header.rawValue] = value }
        set(.reason, .string(reason))
        if let status { set(.status, .integer(Int64(status))) }
        set(.failures, 1)
        set(.firstFailed, .integer(now))
        set(.lastFailed, .integer(now))
        set(.exchange, .string(message.exchange))
        set(.key, .string(message.routingKey))
        // A hint's own numbers, where it can be read; the recorder compares them.
        if let hint = try? Hint(decoding: message.body) {
            set(.seq, .integer(Int64(hint.seq)))
            set(.life, .integer(Int64(hint.life)))
        }
        return AMQP.Message(
            exchange: "dead", routingKey: route.deadQueue, messageID: message.messageID,
            type: message.type.isEmpty ? MessageType.hint.rawValue : message.type, headers: headers,
            body: message.body, timestamp: UInt64(max(0, now / 1000)))
    }
}
