import CRabbitMQ
public import Reactor

/// One connection to the broker, as long as it lives: `Publisher` and `Consumer` make a new one when it ends.
///
/// Channel 1 publishes with confirms, 2 asks questions that a missing queue may answer by closing the channel, 3
/// consumes. Everything that arrives is read in `turn()`; nothing here waits for the broker on the thread, but a write
/// may wait up to the write timeout for the socket.
public actor Connection: ReactorSource {
    struct Channel {
        enum State { case closed, opening, open }
        var state = State.closed
        var replies = ReplyQueue()
        var assembly = MessageAssembly()
        /// Who waits for the channel to be open.
        var openers: [CheckedContinuation<Void, Never>] = []
    }

    struct PendingPublish {
        /// Who hears what became of it.
        enum Waiter {
            case one(CheckedContinuation<PublishResult, Never>)
            case batch(PublishBatch, index: Int)
        }

        let waiter: Waiter
        let deadline: ContinuousClock.Instant
    }

    enum ChannelNumber {
        static let publishing: UInt16 = 1
        static let asking: UInt16 = 2
        static let consuming: UInt16 = 3
    }

    let thread: OwnedThread
    let settings: ConnectionSettings
    /// Nil once the connection has ended.
    var link: Link?
    public nonisolated let address: ConnectionSettings.Address
    private(set) var failure: AMQPError?
    var channels: [UInt16: Channel] = [:]
    var ledger = ConfirmLedger()
    var pending: [UInt64: PendingPublish] = [:]
    var nextPublishDeadline: ContinuousClock.Instant?
    var lastDrain = ContinuousClock.now
    var receivers: [String: (ConsumerEvent) -> Void] = [:]
    /// Why the broker wants no more messages at the moment (`connection.blocked`), if so.
    public internal(set) var blockedReason: String?
    private var endWaiters: [CheckedContinuation<AMQPError, Never>] = []
    private var closeDeadline: ContinuousClock.Instant?

    public nonisolated var unownedExecutor: UnownedSerialExecutor { thread.reactor.asUnownedSerialExecutor() }

    init(link: Link, settings: ConnectionSettings, thread: OwnedThread) {
        self.link = link
        self.settings = settings
        self.thread = thread
        address = link.address
    }

    /// Connects and logs in, on a thread of its own; each address is tried once, beginning with number `first`.
    /// `name` is what the broker shows beside the connection.
    public static func open(
        _ settings: ConnectionSettings, name: String, first: Int = 0
    ) async throws(AMQPError) -> Connection {
        try await open(settings, name: name, first: first, thread: OwnedThread(name: "amqp"))
    }

    static func open(
        _ settings: ConnectionSettings, name: String, first: Int, thread: OwnedThread
    ) async throws(AMQPError) -> Connection {
        let link = try await Dialer(settings: settings, name: name).dial(first: first)
        let connection = Connection(link: link, settings: settings, thread: thread)
        await connection.start()
        return connection
    }

    private func start() {
        guard let link else { return }
        thread.reactor.watch(link.descriptor, for: .read) { _ in }
        thread.reactor.add(self)
    }

    public var isOpen: Bool { link != nil }
    public var isBlocked: Bool { blockedReason != nil }

    /// Returns when the connection has ended, with the reason.
    public func ended() async -> AMQPError {
        if let failure { return failure }
        return await withCheckedContinuation { endWaiters.append($0) }
    }

    /// Says goodbye to the broker and waits at most 2 s for its answer.
    public func close() async {
        guard link != nil else { return }
        var method = amqp_connection_close_t()
        method.reply_code = 200
        guard send(AMQP_CONNECTION_CLOSE_METHOD, on: 0, method) else { return }
        closeDeadline = .now + .seconds(2)
        _ = await ended()
    }

    // MARK: Turn

    public nonisolated func turn() -> ContinuousClock.Instant? {
        assumeIsolated { $0.takeTurn() }
    }

    private func takeTurn() -> ContinuousClock.Instant? {
        drain(atMost: 1000)
        guard let link else { return nil }
        let now = ContinuousClock.now
        expirePublishes(now: now)
        if let late = channels.values.compactMap(\.replies.deadline).min(), late <= now {
            end(AMQPError(.timedOut, "the broker did not answer within \(settings.replyTimeout)"))
            return nil
        }
        if let closeDeadline, closeDeadline <= now {
            end(AMQPError(.stopped, "closed; the broker did not answer"))
            return nil
        }
        if link.holdsInput { return now }
        let deadlines =
            channels.values.compactMap(\.replies.deadline) + [nextPublishDeadline, closeDeadline].compactMap(\.self)
        return min(deadlines.min() ?? .distant(from: now), now + link.heartbeat / 4)
    }

    /// Reads what is there. Ends the connection if the broker or the network did.
    func drain(atMost limit: Int) {
        guard link != nil else { return }
        lastDrain = .now
        for _ in 0..<limit {
            guard let link else { return }
            switch link.read() {
            case .frame(let frame): received(frame)
            case .nothing:
                link.releaseBuffers()
                return
            case .failed(let reason):
                end(AMQPError(.lost, "the connection to the broker at \(address) was lost: \(reason)"))
                return
            }
        }
        link?.releaseBuffers()
    }

    // MARK: Writing

    /// Writes one method; false if that ended the connection.
    func send<Method: BitwiseCopyable>(_ number: amqp_method_number_t, on channel: UInt16, _ method: Method) -> Bool {
        guard becomeWritable(until: .now + settings.writeTimeout), let link else { return false }
        if let reason = link.send(number, on: channel, method) {
            end(AMQPError(.lost, "writing to the broker at \(address) failed: \(reason)"))
            return false
        }
        return true
    }

    /// Waits for the socket to take bytes, reading meanwhile; gives the connection up if it never does.
    func becomeWritable(until deadline: ContinuousClock.Instant) -> Bool {
        while let link {
            let ready = link.waitUntilReady(until: deadline)
            if ready.writable { return true }
            if ready.readable {
                drain(atMost: 1000)
            } else if ContinuousClock.now >= deadline {
                end(AMQPError(.timedOut, "the broker at \(address) reads nothing any more"))
            }
        }
        return false
    }

    // MARK: End

    /// Frees the connection and tells everybody who waits for something of it.
    func end(_ error: AMQPError) {
        guard let link = link.take() else { return }
        failure = error
        thread.reactor.unwatch(link.descriptor)
        thread.reactor.remove(self)
        link.destroy()
        settleAllAsUnknown(error.description)
        for number in channels.keys {
            channels[number]?.replies.connectionLost(error)
            let openers = channels[number]?.openers ?? []
            channels[number]?.openers = []
            for opener in openers { opener.resume() }
        }
        receivers = [:]
        let waiters = endWaiters
        endWaiters = []
        for waiter in waiters { waiter.resume(returning: error) }
    }
}

extension ContinuousClock.Instant {
    fileprivate static func distant(from now: Self) -> Self { now + .seconds(3600) }
}
