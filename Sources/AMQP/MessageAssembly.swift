import CRabbitMQ

/// Puts one channel's messages together: a method (deliver or return), a header, and as many body frames as it takes.
struct MessageAssembly {
    enum Kind: Equatable {
        case delivery
        case returned(code: UInt16, text: String)
    }

    /// A message that is complete.
    struct Complete {
        let kind: Kind
        let delivery: Delivery
    }

    private var kind: Kind = .delivery
    private var message: Delivery?
    private var left = 0

    mutating func began(_ kind: Kind, _ message: Delivery) {
        self.kind = kind
        self.message = message
        left = 0
    }

    /// The header frame; completes a message without a body.
    mutating func header(_ properties: amqp_basic_properties_t, bodySize: Int) -> Complete? {
        guard message != nil else { return nil }
        message?.read(properties)
        message?.body.reserveCapacity(bodySize)
        left = bodySize
        return finishIfComplete()
    }

    mutating func body(_ fragment: UnsafeRawBufferPointer) -> Complete? {
        guard message != nil else { return nil }
        message?.body.append(contentsOf: fragment)
        left -= fragment.count
        return finishIfComplete()
    }

    private mutating func finishIfComplete() -> Complete? {
        guard left <= 0, let message = message.take() else { return nil }
        return Complete(kind: kind, delivery: message)
    }
}

extension Delivery {
    fileprivate mutating func read(_ properties: amqp_basic_properties_t) {
        func has(_ flag: Int32) -> Bool { properties._flags & UInt32(flag) != 0 }
        if has(AMQP_BASIC_MESSAGE_ID_FLAG) { messageID = properties.message_id.string }
        if has(AMQP_BASIC_TYPE_FLAG) { type = properties.type.string }
        if has(AMQP_BASIC_CONTENT_TYPE_FLAG) { contentType = properties.content_type.string }
        if has(AMQP_BASIC_APP_ID_FLAG) { appID = properties.app_id.string }
        if has(AMQP_BASIC_CORRELATION_ID_FLAG) { correlationID = properties.correlation_id.string }
        if has(AMQP_BASIC_TIMESTAMP_FLAG) { timestamp = properties.timestamp }
        if has(AMQP_BASIC_HEADERS_FLAG) { headers = HeaderValue.headers(properties.headers) }
    }
}
