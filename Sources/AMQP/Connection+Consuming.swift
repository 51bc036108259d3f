import CRabbitMQ

/// What a consumer hears, on the connection's thread.
enum ConsumerEvent {
    case delivery(Delivery)
    /// The broker ended this consumer (its queue was deleted or moved).
    case cancelled
}

extension Connection {
    /// Starts a consumer with a prefetch of its own. `receive` is called on the connection's thread.
    func consume(
        _ queue: String, tag: String, prefetch: UInt16, receive: @escaping @Sendable (ConsumerEvent) -> Void
    ) async throws(AMQPError) {
        try await question(on: ChannelNumber.consuming) { _ in
            (AMQP_BASIC_QOS_METHOD, amqp_basic_qos_t(prefetch_size: 0, prefetch_count: prefetch, global: 0))
        }
        receivers[tag] = receive
        do throws(AMQPError) {
            try await question(on: ChannelNumber.consuming) { encoder in
                var consume = amqp_basic_consume_t()
                consume.queue = encoder.bytes(queue)
                consume.consumer_tag = encoder.bytes(tag)
                return (AMQP_BASIC_CONSUME_METHOD, consume)
            }
        } catch {
            receivers[tag] = nil
            throw error
        }
    }

    /// Ends a consumer; what it already received is still to be acknowledged.
    func cancel(tag: String) async throws(AMQPError) {
        try await question(on: ChannelNumber.consuming) { encoder in
            (AMQP_BASIC_CANCEL_METHOD, amqp_basic_cancel_t(consumer_tag: encoder.bytes(tag), nowait: 0))
        }
        receivers[tag] = nil
    }

    func acknowledge(_ tag: UInt64, multiple: Bool) {
        let ack = amqp_basic_ack_t(delivery_tag: tag, multiple: multiple ? 1 : 0)
        _ = send(AMQP_BASIC_ACK_METHOD, on: ChannelNumber.consuming, ack)
    }

    func reject(_ tag: UInt64, requeue: Bool) {
        let reject = amqp_basic_reject_t(delivery_tag: tag, requeue: requeue ? 1 : 0)
        _ = send(AMQP_BASIC_REJECT_METHOD, on: ChannelNumber.consuming, reject)
    }
}
