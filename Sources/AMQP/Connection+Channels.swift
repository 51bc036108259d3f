import CRabbitMQ

extension Connection {
    /// Opens a channel unless it is open; several callers at once share one opening. The publishing channel is put into
    /// confirm mode.
    func openChannel(_ number: UInt16) async throws(AMQPError) {
        while true {
            if let failure { throw failure }
            switch channels[number, default: Channel()].state {
            case .open: return
            case .opening:
                await withCheckedContinuation { channels[number]?.openers.append($0) }
            case .closed:
                channels[number, default: Channel()].state = .opening
                defer { wakeOpeners(of: number) }
                do throws(AMQPError) {
                    try await ask(number) { _ in (AMQP_CHANNEL_OPEN_METHOD, amqp_channel_open_t()) }
                    if number == ChannelNumber.publishing {
                        try await ask(number) { _ in (AMQP_CONFIRM_SELECT_METHOD, amqp_confirm_select_t()) }
                        ledger = ConfirmLedger()
                    }
                } catch {
                    channels[number]?.state = .closed
                    throw error
                }
                channels[number]?.state = .open
                return
            }
        }
    }

    private func wakeOpeners(of number: UInt16) {
        let openers = channels[number]?.openers ?? []
        channels[number]?.openers = []
        for opener in openers { opener.resume() }
    }

    /// Opens the channel if need be, asks one question on it and waits for the answer. Asked again if somebody else's
    /// question closed the channel first.
    @discardableResult
    func question<Method: BitwiseCopyable>(
        on number: UInt16, _ build: (TableEncoder) -> (number: amqp_method_number_t, method: Method)
    ) async throws(AMQPError) -> Reply {
        while true {
            try await openChannel(number)
            if let reply = try await outcome(number, build) { return reply }
        }
    }

    @discardableResult
    private func ask<Method: BitwiseCopyable>(
        _ number: UInt16, _ build: (TableEncoder) -> (number: amqp_method_number_t, method: Method)
    ) async throws(AMQPError) -> Reply {
        guard let reply = try await outcome(number, build) else { throw AMQPError(.lost, "the channel was closed") }
        return reply
    }

    /// Nil: the channel was closed before the question was looked at.
    private func outcome<Method: BitwiseCopyable>(
        _ number: UInt16, _ build: (TableEncoder) -> (number: amqp_method_number_t, method: Method)
    ) async throws(AMQPError) -> Reply? {
        guard becomeWritable(until: .now + settings.writeTimeout), let link else { throw lost }
        // Waiting may have read that the channel is gone; a method on it would cost the connection.
        guard channels[number]?.state != .closed else { return nil }
        let failure = link.withEncoder { encoder in
            let (method, arguments) = build(encoder)
            return link.send(method, on: number, arguments)
        }
        if let failure {
            end(AMQPError(.lost, "writing to the broker at \(address) failed: \(failure)"))
            throw lost
        }
        let outcome = await withCheckedContinuation { continuation in
            channels[number]?.replies.asked(continuation, deadline: .now + settings.replyTimeout)
        }
        switch outcome {
        case .reply(let reply): return reply
        case .refused(let error), .lost(let error): throw error
        case .notAsked: return nil
        }
    }

    private var lost: AMQPError { failure ?? AMQPError(.lost, "the connection to the broker has ended") }
}
