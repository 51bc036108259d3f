import AMQP
import Daemon
import Delivery
import Messages
import TokenSigning

/// Hands an ack to the broker. True only when the broker has confirmed it.
protocol AckPublishing: Sendable {
    func publish(_ ack: DeviceAck) async -> Bool
}

/// Publishes to exchange `results` with the key `ack`. The message id is that of job, device and result, so that
/// repetitions can be told from news.
struct BrokerAcks: AckPublishing {
    let publisher: Publisher
    let limit: Duration

    private static let namespace: [UInt8] = Array("mobile-delivery/".utf8)

    func publish(_ ack: DeviceAck) async -> Bool {
        let id = Identifier(
            bytes: nameBasedUUID(
                namespace: Self.namespace, name: ack.job.bytes + ack.device.bytes + Array(ack.result.rawValue.utf8)))
        let message = Message(
            exchange: "results", routingKey: "ack", messageID: id.description, type: MessageType.ack.rawValue,
            body: ack.encoded(), timestamp: UInt64(max(0, ack.receivedAt / 1_000)))
        let result = await publisher.publish(message, deadline: .now + limit)
        guard result != .confirmed else { return true }
        Log.warning("ack not confirmed", [.job: .of(ack.job), .device: .of(ack.device), .cause: .string("\(result)")])
        return false
    }
}
