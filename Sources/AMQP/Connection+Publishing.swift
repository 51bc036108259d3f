import CRabbitMQ

extension Connection {
    /// Publishes and waits for the broker's word, at most until `deadline`. Not ended by task cancellation.
    public func publish(_ message: Message, deadline: ContinuousClock.Instant) async -> PublishResult {
        do {
            try await openChannel(ChannelNumber.publishing)
        } catch {
            return .notWritten(error.description)
        }
        switch write(message, deadline: deadline) {
        case .ended(let result): return result
        case .tag(let tag):
            return await withCheckedContinuation { wait(for: tag, until: deadline, .one($0)) }
        }
    }

    /// Publishes messages one after the other, each with its own result, which comes at the latest at `deadline`; the
    /// stream ends with the last one. Not ended by task cancellation.
    public func publish(
        _ messages: [Message], deadline: ContinuousClock.Instant
    ) async -> AsyncStream<[PublishedMessage]> {
        do {
            try await openChannel(ChannelNumber.publishing)
        } catch {
            return PublishBatch.all(messages.count, .notWritten(error.description))
        }
        let (stream, continuation) = AsyncStream.makeStream(of: [PublishedMessage].self)
        let batch = PublishBatch(count: messages.count, continuation)
        link?.cork(true)
        for (index, message) in messages.enumerated() {
            switch write(message, deadline: deadline) {
            case .ended(let result): _ = batch.note(index, result)
            case .tag(let tag): wait(for: tag, until: deadline, .batch(batch, index: index))
            }
        }
        link?.cork(false)
        batch.tell()
        return stream
    }

    /// Messages written and not yet confirmed.
    public var unconfirmed: Int { ledger.outstanding }

    func settle(_ settled: [ConfirmLedger.Settled]) {
        report(
            settled.lazy.compactMap { each in
                self.pending.removeValue(forKey: each.tag).map { ($0.waiter, PublishResult(each.verdict)) }
            })
    }

    func settleAllAsUnknown(_ reason: String) {
        _ = ledger.closed()
        let open = pending
        pending = [:]
        nextPublishDeadline = nil
        report(open.values.map { ($0.waiter, .unknown(reason)) })
    }

    /// Ends the wait of publishes whose deadline passed; a confirm that still comes finds nobody.
    func expirePublishes(now: ContinuousClock.Instant) {
        guard let next = nextPublishDeadline, next <= now else { return }
        let late = pending.filter { $0.value.deadline <= now }
        for tag in late.keys { pending[tag] = nil }
        nextPublishDeadline = pending.values.map(\.deadline).min()
        report(late.values.map { ($0.waiter, .unknown("no confirm before the deadline")) })
    }

    // MARK: One message

    private enum Written {
        case tag(UInt64)
        /// Before the broker had a say.
        case ended(PublishResult)
    }

    /// Writes one message to the channel, which was open a moment ago.
    private func write(_ message: Message, deadline: ContinuousClock.Instant) -> Written {
        if let fault = message.fault { return .ended(.notWritten(fault)) }
        // Reading first: the library would write into a connection that the broker closed a second ago.
        if ContinuousClock.now - lastDrain > .milliseconds(1) { drain(atMost: 1000) }
        if let failure { return .ended(.notWritten(failure.description)) }
        if let blockedReason { return .ended(.notWritten("the broker takes no messages: \(blockedReason)")) }
        guard channels[ChannelNumber.publishing]?.state == .open else {
            return .ended(.notWritten("the channel was closed"))
        }
        guard becomeWritable(until: min(deadline, .now + settings.writeTimeout)), let link else {
            return .ended(.notWritten(failure?.description ?? "the connection has ended"))
        }
        // Waiting may have read that the channel is gone.
        guard channels[ChannelNumber.publishing]?.state == .open else {
            return .ended(.notWritten("the channel was closed"))
        }
        if let reason = link.publish(message, on: ChannelNumber.publishing) {
            // How far it came is unknown, and the next frame would be read as a part of this message.
            end(AMQPError(.lost, "publishing to the broker at \(address) failed: \(reason)"))
            return .ended(.unknown(reason))
        }
        return .tag(ledger.published(messageID: message.messageID))
    }

    private func wait(for tag: UInt64, until deadline: ContinuousClock.Instant, _ waiter: PendingPublish.Waiter) {
        pending[tag] = PendingPublish(waiter: waiter, deadline: deadline)
        nextPublishDeadline = min(nextPublishDeadline ?? deadline, deadline)
    }

    private func report(_ results: some Sequence<(PendingPublish.Waiter, PublishResult)>) {
        var touched: [PublishBatch] = []
        for (waiter, result) in results {
            switch waiter {
            case .one(let continuation): continuation.resume(returning: result)
            case .batch(let batch, let index): if batch.note(index, result) { touched.append(batch) }
            }
        }
        for batch in touched { batch.tell() }
    }
}

extension PublishResult {
    fileprivate init(_ verdict: ConfirmLedger.Verdict) {
        self =
            switch verdict {
            case .confirmed: .confirmed
            case .nacked: .nacked
            case .returned(let code, let text): .returned(code: code, text: text)
            }
    }
}
