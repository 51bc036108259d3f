public import AMQP
import Daemon
public import Messages
import Operations
import Postgres

/// One message of `parking`, which is in no index: read where it lies, and given back.
public struct ParkedMessage: Equatable, Sendable {
    /// The queue that failed it.
    public let origin: String
    public let reason: String
    public let messageID: String
    public let type: String
    /// Of its body, in bytes.
    public let size: Int
    /// Of its death, seconds since 1970.
    public let diedAt: UInt64?

    init(_ delivery: AMQP.Delivery) {
        let death = delivery.headers["x-death"]?.array?.first?.table
        origin = death?["queue"]?.string ?? delivery.routingKey
        reason = death?["reason"]?.string ?? delivery.headers[Header.reason.rawValue]?.string ?? "unspecified"
        messageID = delivery.messageID
        type = delivery.type
        size = delivery.body.count
        if case .timestamp(let seconds)? = death?["time"] { diedAt = seconds } else { diedAt = nil }
    }

    /// The oldest of them. They are delivered, not acknowledged, and go back to their places with the connection, which
    /// costs each one of a million deliveries.
    public static func read(from broker: AMQP.ConnectionSettings, atMost count: Int) async throws -> [ParkedMessage] {
        let connection = try await AMQP.Connection.open(broker, name: "operator/parking")
        let ready = try await connection.counts(of: DeadQueue.parking.rawValue)?.ready ?? 0
        await connection.close()
        guard ready > 0 else { return [] }
        let consumer = Consumer(
            broker, queue: DeadQueue.parking.rawValue, name: "operator/parking",
            prefetch: PrefetchPolicy(maximum: UInt16(clamping: count), startsFull: true))
        let running = Task { await consumer.run() }
        var messages: [ParkedMessage] = []
        while messages.count < min(ready, count), let next = await consumer.next(until: .now + .seconds(5)) {
            messages.append(ParkedMessage(next))
        }
        running.cancel()
        await running.value
        return messages
    }

    /// `parking has no number: 3  dead.index  delivery_limit …`.
    public var line: String {
        let id = messageID.isEmpty ? "without an id" : messageID
        let when = diedAt.map { Timestamp(milliseconds: Int64(clamping: $0) * 1000).utcText + "  " } ?? ""
        return "\(when)\(origin)  \(reason)  \(type) \(id), \(size) bytes".printable
    }

    public func write(to object: inout JSONWriter) {
        object.member("origin", origin)
        object.member("reason", reason)
        object.member("message_id", messageID)
        object.member("type", type)
        object.member("bytes", size)
    }
}
