import CRabbitMQ

extension Connection {
    func received(_ frame: amqp_frame_t) {
        switch Int32(frame.frame_type) {
        case AMQP_FRAME_METHOD:
            if let decoded = frame.payload.method.decoded {
                received(frame.payload.method.id, decoded, on: frame.channel)
            }
        case AMQP_FRAME_HEADER:
            guard let decoded = frame.payload.properties.decoded else { return }
            let properties = decoded.load(as: amqp_basic_properties_t.self)
            let size = Int(clamping: frame.payload.properties.body_size)
            if let complete = channels[frame.channel]?.assembly.header(properties, bodySize: size) {
                received(complete)
            }
        case AMQP_FRAME_BODY:
            let fragment = frame.payload.body_fragment
            let bytes = UnsafeRawBufferPointer(start: fragment.bytes, count: fragment.len)
            if let complete = channels[frame.channel]?.assembly.body(bytes) { received(complete) }
        default: break  // heartbeats: the library has noted them
        }
    }

    private func received(_ number: amqp_method_number_t, _ decoded: UnsafeMutableRawPointer, on channel: UInt16) {
        switch number {
        case amqp_method_number_t(AMQP_BASIC_ACK_METHOD):
            let ack = decoded.load(as: amqp_basic_ack_t.self)
            settle(ledger.acked(ack.delivery_tag, multiple: ack.multiple != 0))
        case amqp_method_number_t(AMQP_BASIC_NACK_METHOD):
            let nack = decoded.load(as: amqp_basic_nack_t.self)
            settle(ledger.nacked(nack.delivery_tag, multiple: nack.multiple != 0))
        case amqp_method_number_t(AMQP_BASIC_RETURN_METHOD):
            let returned = decoded.load(as: amqp_basic_return_t.self)
            let message = Delivery(tag: 0, exchange: returned.exchange.string, routingKey: returned.routing_key.string)
            let kind = MessageAssembly.Kind.returned(code: returned.reply_code, text: returned.reply_text.string)
            channels[channel]?.assembly.began(kind, message)
        case amqp_method_number_t(AMQP_BASIC_DELIVER_METHOD):
            let deliver = decoded.load(as: amqp_basic_deliver_t.self)
            var message = Delivery(
                tag: deliver.delivery_tag, redelivered: deliver.redelivered != 0, exchange: deliver.exchange.string,
                routingKey: deliver.routing_key.string)
            message.consumerTag = deliver.consumer_tag.string
            channels[channel]?.assembly.began(.delivery, message)
        case amqp_method_number_t(AMQP_BASIC_CANCEL_METHOD):
            let tag = decoded.load(as: amqp_basic_cancel_t.self).consumer_tag.string
            receivers.removeValue(forKey: tag)?(.cancelled)
        case amqp_method_number_t(AMQP_QUEUE_DECLARE_OK_METHOD):
            let declared = decoded.load(as: amqp_queue_declare_ok_t.self)
            let counts = QueueCounts(ready: Int(declared.message_count), consumers: Int(declared.consumer_count))
            channels[channel]?.replies.answered(.counts(counts))
        case amqp_method_number_t(AMQP_CHANNEL_CLOSE_METHOD):
            let close = decoded.load(as: amqp_channel_close_t.self)
            channelClosed(channel, AMQPError(closedWith: close.reply_code, text: close.reply_text.string))
        case amqp_method_number_t(AMQP_CONNECTION_CLOSE_METHOD):
            let close = decoded.load(as: amqp_connection_close_t.self)
            let error = AMQPError(closedWith: close.reply_code, text: close.reply_text.string)
            if send(AMQP_CONNECTION_CLOSE_OK_METHOD, on: 0, amqp_connection_close_ok_t()) { end(error) }
        case amqp_method_number_t(AMQP_CONNECTION_CLOSE_OK_METHOD):
            end(AMQPError(.stopped, "closed"))
        case amqp_method_number_t(AMQP_CONNECTION_BLOCKED_METHOD):
            blockedReason = decoded.load(as: amqp_connection_blocked_t.self).reason.string
        case amqp_method_number_t(AMQP_CONNECTION_UNBLOCKED_METHOD):
            blockedReason = nil
        default:
            // Every other method that a broker sends is the answer to a question of ours and carries nothing we need.
            channels[channel]?.replies.answered(.done)
        }
    }

    private func received(_ complete: MessageAssembly.Complete) {
        let message = complete.delivery
        switch complete.kind {
        case .delivery:
            receivers[message.consumerTag]?(.delivery(message))
        case .returned(let code, let text):
            _ = ledger.returned(messageID: message.messageID, code: code, text: text)
        }
    }

    private func channelClosed(_ number: UInt16, _ error: AMQPError) {
        guard send(AMQP_CHANNEL_CLOSE_OK_METHOD, on: number, amqp_channel_close_ok_t()) else { return }
        channels[number]?.state = .closed
        channels[number]?.assembly = MessageAssembly()
        let wasAsked = channels[number]?.replies.channelClosed(error) ?? false
        switch number {
        case ChannelNumber.publishing: settleAllAsUnknown("the channel was closed: \(error)")
        // Deliveries of a closed channel can't be acknowledged any more: their owner starts afresh.
        case ChannelNumber.consuming where !wasAsked || !receivers.isEmpty: end(error)
        default: break
        }
    }
}
