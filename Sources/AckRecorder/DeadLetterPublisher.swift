import AMQP
import Daemon
import Messages

/// Puts what the recorder itself can't read into `recorder.dead`, confirmed, before the original is acknowledged.
struct DeadLetterPublisher: Sendable {
    let publisher: Publisher
    let deadline: Duration

    /// The original bytes with the reason and where they came from.
    static func message(of delivery: AMQP.Delivery, _ reason: BurialReason, at milliseconds: Int64) -> Message {
        var headers = delivery.headers.filter { !$0.key.hasPrefix("x-") }
        headers[Header.reason.rawValue] = .string(reason.word)
        headers[Header.exchange.rawValue] = .string(delivery.exchange)
        headers[Header.key.rawValue] = .string(delivery.routingKey)
        headers[Header.lastFailed.rawValue] = .integer(milliseconds)
        return Message(
            exchange: "dead", routingKey: "recorder.dead", messageID: delivery.messageID, type: delivery.type,
            headers: headers, body: delivery.body)
    }

    /// Tries until the broker has confirmed it, or until it is asked to stop; then the original stays where it is.
    func bury(_ delivery: AMQP.Delivery, _ reason: BurialReason, on consumer: Consumer) async -> Bool {
        let message = Self.message(of: delivery, reason, at: WallClock.milliseconds())
        while true {
            let result = await publisher.publish(message, deadline: .now + deadline)
            if case .confirmed = result {
                await consumer.ack(delivery)
                return true
            }
            Log.warning("dead letter was not confirmed", [.queue: "recorder.dead", .cause: .string("\(result)")])
            guard await Shutdown.current.sleep(for: .seconds(1)) else { return false }
        }
    }
}
