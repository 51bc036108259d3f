import CRabbitMQ

extension Connection {
    /// Publishes and waits for the broker's word, at most until `deadline`. Not ended by task cancellation.
    public func publish(_ message: Message, deadline: ContinuousClock.Instant) async -> PublishResult {
        if let fault = message.fault { return .notWritten(fault) }
        do {
            try await openChannel(ChannelNumber.publishing)
        } catch {
            return .notWritten(error.description)
        }
        // Reading first: the library would write into a connection that the broker closed a second ago.
        if ContinuousClock.now - lastDrain > .milliseconds(1) { drain(atMost: 1000) }
        if let failure { return .notWritten(failure.description) }
        if let blockedReason { return .notWritten("the broker takes no messages: \(blockedReason)") }
        guard channels[ChannelNumber.publishing]?.state == .open else { return .notWritten("the channel was closed") }
        guard becomeWritable(until: min(deadline, .now + settings.writeTimeout)), let link else {
            return .notWritten(failure?.description ?? "the connection has ended")
        }
        if let reason = link.publish(message, on: ChannelNumber.publishing) {
            // How far it came is unknown, and the next frame would be read as a part of this message.
            end(AMQPError(.lost, "publishing to the broker at \(address) failed: \(reason)"))
            return .unknown(reason)
        }
        let tag = ledger.published(messageID: message.messageID)
        return await withCheckedContinuation { continuation in
            pending[tag] = PendingPublish(continuation: continuation, deadline: deadline)
            nextPublishDeadline = min(nextPublishDeadline ?? deadline, deadline)
        }
    }

    /// Messages written and not yet confirmed.
    public var unconfirmed: Int { ledger.outstanding }

    func settle(_ settled: [ConfirmLedger.Settled]) {
        for each in settled {
            let result: PublishResult =
                switch each.verdict {
                case .confirmed: .confirmed
                case .nacked: .nacked
                case .returned(let code, let text): .returned(code: code, text: text)
                }
            pending.removeValue(forKey: each.tag)?.continuation.resume(returning: result)
        }
    }

    func settleAllAsUnknown(_ reason: String) {
        _ = ledger.closed()
        let open = pending
        pending = [:]
        nextPublishDeadline = nil
        for each in open.values { each.continuation.resume(returning: .unknown(reason)) }
    }

    /// Ends the wait of publishes whose deadline passed; a confirm that still comes finds nobody.
    func expirePublishes(now: ContinuousClock.Instant) {
        guard let next = nextPublishDeadline, next <= now else { return }
        for (tag, each) in pending where each.deadline <= now {
            pending[tag] = nil
            each.continuation.resume(returning: .unknown("no confirm before the deadline"))
        }
        nextPublishDeadline = pending.values.map(\.deadline).min()
    }
}
