/// A publishing connection that heals itself: it reconnects with backoff as long as `run()` runs.
public actor Publisher {
    private let thread: OwnedThread
    private let settings: ConnectionSettings
    private let name: String
    private let delay: ReconnectDelay
    private let onEvent: @Sendable (LinkEvent) -> Void
    private var connection: Connection?
    private var waiters: [Int: CheckedContinuation<Void, Never>] = [:]
    private var nextWaiter = 0
    /// Why there is no connection, if there is none.
    public private(set) var lastFailure: AMQPError?

    public nonisolated var unownedExecutor: UnownedSerialExecutor { thread.reactor.asUnownedSerialExecutor() }

    /// `name` is what the broker shows, by custom `<service>/<instance>/<role>`.
    public init(
        _ settings: ConnectionSettings, name: String, delay: ReconnectDelay = ReconnectDelay(),
        onEvent: @escaping @Sendable (LinkEvent) -> Void = { _ in }
    ) {
        self.settings = settings
        self.name = name
        self.delay = delay
        self.onEvent = onEvent
        thread = OwnedThread(name: "amqp-publish")
    }

    /// Keeps a connection until the task is cancelled; then closes it. Publishes without a word by then end *unknown*.
    public func run() async {
        var failures = 0
        var first = 0
        while !Task.isCancelled {
            let error = await keepOne(first: first) { failures = 0 }
            lastFailure = error
            if Task.isCancelled { break }
            failures += 1
            first += 1
            let pause = delay.delay(afterFailures: failures, random: .random(in: 0..<1))
            onEvent(.lost(error, retryIn: pause))
            try? await Task.sleep(for: pause)
        }
    }

    /// Connects, and returns why that failed or why the connection ended.
    private func keepOne(first: Int, _ succeeded: () -> Void) async -> AMQPError {
        do {
            let opened = try await Connection.open(settings, name: name, first: first, thread: thread)
            do throws(AMQPError) {
                try await opened.openChannel(Connection.ChannelNumber.publishing)
            } catch {
                await opened.close()
                return error
            }
            succeeded()
            connection = opened
            onEvent(.connected(opened.address))
            wakeWaiters()
            let reason = await withTaskCancellationHandler {
                await opened.ended()
            } onCancel: {
                Task { await opened.close() }
            }
            connection = nil
            return reason
        } catch {
            return error
        }
    }

    /// Publishes and waits for the broker's word, or for a connection, at most until `deadline`. While the broker is
    /// blocked (`isBlocked`) the answer is `notWritten` at once. Not ended by task cancellation.
    public func publish(_ message: Message, deadline: ContinuousClock.Instant) async -> PublishResult {
        while true {
            guard let connection = await connection(until: deadline) else {
                return .notWritten(lastFailure?.description ?? "there was no connection to the broker in time")
            }
            let result = await connection.publish(message, deadline: deadline)
            if case .notWritten = result, await !connection.isOpen, ContinuousClock.now < deadline { continue }
            return result
        }
    }

    /// Publishes messages in their order and tells what became of them in groups, as the broker's words come; the last
    /// group comes at the latest at `deadline`. What was not written is not tried again.
    public func publish(
        _ messages: [Message], deadline: ContinuousClock.Instant
    ) async -> AsyncStream<[PublishedMessage]> {
        guard let connection = await connection(until: deadline) else {
            let reason = lastFailure?.description ?? "there was no connection to the broker in time"
            return PublishBatch.all(messages.count, .notWritten(reason))
        }
        return await connection.publish(messages, deadline: deadline)
    }

    /// Ready and consumer counts of a queue; nil if there is no such queue. Throws if there is no connection now.
    public func counts(of queue: String) async throws(AMQPError) -> QueueCounts? {
        try await currentConnection().counts(of: queue)
    }

    public func exchangeExists(_ exchange: String) async throws(AMQPError) -> Bool {
        try await currentConnection().exchangeExists(exchange)
    }

    public var isConnected: Bool {
        get async { await connection?.isOpen ?? false }
    }

    /// The broker takes no messages at the moment (memory or disk alarm).
    public var isBlocked: Bool {
        get async { await connection?.isBlocked ?? false }
    }

    /// Messages written and not yet confirmed.
    public var unconfirmed: Int {
        get async { await connection?.unconfirmed ?? 0 }
    }

    private func currentConnection() throws(AMQPError) -> Connection {
        guard let connection else { throw lastFailure ?? AMQPError(.unreachable, "not connected to the broker yet") }
        return connection
    }

    private func connection(until deadline: ContinuousClock.Instant) async -> Connection? {
        while true {
            if let connection, await connection.isOpen { return connection }
            guard ContinuousClock.now < deadline, !Task.isCancelled else { return nil }
            nextWaiter += 1
            let number = nextWaiter
            let timer = Task {
                try? await Task.sleep(until: deadline)
                giveUp(number)
            }
            await withCheckedContinuation { waiters[number] = $0 }
            timer.cancel()
        }
    }

    private func giveUp(_ number: Int) { waiters.removeValue(forKey: number)?.resume() }

    private func wakeWaiters() {
        let all = waiters
        waiters = [:]
        for waiter in all.values { waiter.resume() }
    }
}
