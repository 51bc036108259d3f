import CRabbitMQ

extension Connection {
    /// Ready and consumer counts of a queue, by a passive declare; nil if there is no such queue.
    public func counts(of queue: String) async throws(AMQPError) -> QueueCounts? {
        do throws(AMQPError) {
            let reply = try await question(on: ChannelNumber.asking) { encoder in
                var declare = amqp_queue_declare_t()
                declare.queue = encoder.bytes(queue)
                declare.passive = 1
                return (AMQP_QUEUE_DECLARE_METHOD, declare)
            }
            if case .counts(let counts) = reply { return counts }
            return nil
        } catch {
            if error.code == 404 { return nil }
            throw error
        }
    }

    /// Whether the exchange exists. A publish to one that does not would close the channel with everything in flight.
    public func exchangeExists(_ exchange: String) async throws(AMQPError) -> Bool {
        do throws(AMQPError) {
            try await question(on: ChannelNumber.asking) { encoder in
                var declare = amqp_exchange_declare_t()
                declare.exchange = encoder.bytes(exchange)
                declare.passive = 1
                return (AMQP_EXCHANGE_DECLARE_METHOD, declare)
            }
            return true
        } catch {
            if error.code == 404 { return false }
            throw error
        }
    }

    /// Declares a durable queue. The topology tool goes through the management API; this is for tests and outsiders.
    public func declareQueue(_ queue: String, arguments: Headers = [:], autoDelete: Bool = false)
        async throws(AMQPError)
    {
        try await question(on: ChannelNumber.asking) { encoder in
            var declare = amqp_queue_declare_t()
            declare.queue = encoder.bytes(queue)
            declare.durable = 1
            declare.auto_delete = autoDelete ? 1 : 0
            declare.arguments = encoder.table(arguments)
            return (AMQP_QUEUE_DECLARE_METHOD, declare)
        }
    }

    public func declareExchange(_ exchange: String, type: String = "topic") async throws(AMQPError) {
        try await question(on: ChannelNumber.asking) { encoder in
            var declare = amqp_exchange_declare_t()
            declare.exchange = encoder.bytes(exchange)
            declare.type = encoder.bytes(type)
            declare.durable = 1
            return (AMQP_EXCHANGE_DECLARE_METHOD, declare)
        }
    }

    public func bind(_ queue: String, to exchange: String, key: String) async throws(AMQPError) {
        try await question(on: ChannelNumber.asking) { encoder in
            var bind = amqp_queue_bind_t()
            bind.queue = encoder.bytes(queue)
            bind.exchange = encoder.bytes(exchange)
            bind.routing_key = encoder.bytes(key)
            return (AMQP_QUEUE_BIND_METHOD, bind)
        }
    }

    public func deleteQueue(_ queue: String) async throws(AMQPError) {
        try await question(on: ChannelNumber.asking) { encoder in
            var delete = amqp_queue_delete_t()
            delete.queue = encoder.bytes(queue)
            return (AMQP_QUEUE_DELETE_METHOD, delete)
        }
    }

    public func deleteExchange(_ exchange: String) async throws(AMQPError) {
        try await question(on: ChannelNumber.asking) { encoder in
            var delete = amqp_exchange_delete_t()
            delete.exchange = encoder.bytes(exchange)
            return (AMQP_EXCHANGE_DELETE_METHOD, delete)
        }
    }
}
