/// A consuming connection of one queue that heals itself: it reconnects with backoff as long as `run()` runs, starts
/// with a prefetch of 1 every time, and forgets what an earlier connection delivered (the broker delivers it again).
public actor Consumer {
    private struct Active {
        let tag: String
        let prefetch: UInt16
    }

    public nonisolated let queue: String
    private let thread: OwnedThread
    private let settings: ConnectionSettings
    private let name: String
    private let delay: ReconnectDelay
    private let onEvent: @Sendable (LinkEvent) -> Void
    private var prefetch: PrefetchPolicy
    private var connection: Connection?
    private var generation = 0
    private var active: Active?
    private var consumers = 0
    private var isChanging = false
    /// Delivered and neither acknowledged nor rejected, on this connection.
    private var open: Set<UInt64> = []
    private var inbox = DeliveryInbox()
    public private(set) var isPaused: Bool
    /// Why there is no consumer, if there is none.
    public private(set) var lastFailure: AMQPError?

    public nonisolated var unownedExecutor: UnownedSerialExecutor { thread.reactor.asUnownedSerialExecutor() }

    /// `name` is what the broker shows, by custom `<service>/<instance>/<role>`.
    public init(
        _ settings: ConnectionSettings, queue: String, name: String, prefetch: PrefetchPolicy, paused: Bool = false,
        delay: ReconnectDelay = ReconnectDelay(), onEvent: @escaping @Sendable (LinkEvent) -> Void = { _ in }
    ) {
        self.settings = settings
        self.queue = queue
        self.name = name
        self.prefetch = prefetch
        self.delay = delay
        self.onEvent = onEvent
        isPaused = paused
        thread = OwnedThread(name: "amqp-consume")
    }

    /// Keeps a connection and a consumer on it until the task is cancelled; then closes the connection, which gives back
    /// what was not acknowledged (each costs one of its deliveries).
    public func run() async {
        var failures = 0
        var first = 0
        while !Task.isCancelled {
            let error = await keepOne(first: first) { failures = 0 }
            lastFailure = error
            forgetDeliveries()
            if Task.isCancelled { break }
            failures += 1
            first += 1
            let pause = delay.delay(afterFailures: failures, random: .random(in: 0..<1))
            onEvent(.lost(error, retryIn: pause))
            try? await Task.sleep(for: pause)
        }
        inbox.stop()
    }

    private func keepOne(first: Int, _ succeeded: () -> Void) async -> AMQPError {
        do throws(AMQPError) {
            let opened = try await Connection.open(settings, name: name, first: first, thread: thread)
            generation += 1
            prefetch.started()
            connection = opened
            if let error = await adjust() {
                await opened.close()
                connection = nil
                return error
            }
            succeeded()
            lastFailure = nil
            onEvent(.connected(opened.address))
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

    private func forgetDeliveries() {
        active = nil
        open = []
        inbox.forget()
    }

    // MARK: Receiving

    /// The next message, in order of delivery; nil once `run()` has ended or the calling task is cancelled.
    public func next() async -> Delivery? { await next(until: nil) }

    /// The next message, or nil if none came until `deadline`.
    public func next(until deadline: ContinuousClock.Instant?) async -> Delivery? {
        if let delivery = inbox.take() { return delivery }
        if inbox.isStopped || Task.isCancelled { return nil }
        if let deadline, deadline <= .now { return nil }
        let number = inbox.newWaiter()
        let timer = deadline.map { deadline in
            Task {
                try? await Task.sleep(until: deadline)
                inbox.giveUp(number)
            }
        }
        defer { timer?.cancel() }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { inbox.wait(number, $0) }
        } onCancel: {
            Task { await self.giveUp(number) }
        }
    }

    /// Waits for a message, then takes what comes within `cut`, at most `count` together. Empty once stopped.
    public func nextBatch(upTo count: Int, within cut: Duration) async -> [Delivery] {
        guard let first = await next() else { return [] }
        var batch = [first]
        let deadline = ContinuousClock.now + cut
        while batch.count < count, let delivery = await next(until: deadline) { batch.append(delivery) }
        // A connection lost meanwhile has made the earlier ones stale.
        return batch.filter { $0.generation == generation }
    }

    private func giveUp(_ number: Int) { inbox.giveUp(number) }

    private func received(_ event: ConsumerEvent, on number: Int, tag: String) {
        guard number == generation, let connection else { return }
        switch event {
        case .delivery(var delivery):
            delivery.generation = number
            open.insert(delivery.tag)
            inbox.put(delivery)
        case .cancelled:
            guard tag == active?.tag else { return }
            active = nil
            let error = AMQPError(.missing, "the broker ended the consumer of \(queue): the queue was deleted or moved")
            connection.assumeIsolated { $0.end(error) }
        }
    }

    // MARK: Settling

    /// Messages delivered and not yet settled, on the current connection.
    public var unsettled: Int { open.count }

    /// Whether the message can still be acknowledged; a stale one will come again.
    public func isCurrent(_ delivery: Delivery) -> Bool {
        delivery.generation == generation && open.contains(delivery.tag)
    }

    /// Acknowledges one message; without effect if it is stale.
    public func ack(_ delivery: Delivery) async {
        guard let connection, delivery.generation == generation, open.remove(delivery.tag) != nil else { return }
        await connection.acknowledge(delivery.tag, multiple: false)
        await settled(1)
    }

    /// Acknowledges this message and every unsettled one delivered before it.
    public func ack(upTo delivery: Delivery) async {
        guard let connection, delivery.generation == generation else { return }
        let before = open.count
        open = open.filter { $0 > delivery.tag }
        guard open.count < before else { return }
        await connection.acknowledge(delivery.tag, multiple: true)
        await settled(before - open.count)
    }

    /// Acknowledges these, in as few questions as possible: the broker writes each of them to the queue's log, one that
    /// covers many as well as one that covers a single message. Stale ones are left out.
    public func ack(_ deliveries: [Delivery]) async {
        guard let connection else { return }
        let tags = deliveries.filter { $0.generation == generation }.compactMap { open.remove($0.tag) }.sorted()
        guard !tags.isEmpty else { return }
        // Up to the first that is still open, all are settled, whoever settled them.
        let firstOpen = open.min() ?? .max
        let covered = tags.prefix { $0 < firstOpen }
        if let last = covered.last { await connection.acknowledge(last, multiple: true) }
        for tag in tags.dropFirst(covered.count) { await connection.acknowledge(tag, multiple: false) }
        await settled(tags.count)
    }

    /// Rejects one message: into the dead-letter exchange, or back into the queue (which costs it one delivery).
    public func reject(_ delivery: Delivery, requeue: Bool = false) async {
        guard let connection, delivery.generation == generation, open.remove(delivery.tag) != nil else { return }
        await connection.reject(delivery.tag, requeue: requeue)
    }

    /// The caller keeps this message for later, unsettled. It counts as dealt with where the prefetch grows: behind a message
    /// that waits, a window of one would let nothing else in.
    public func setAside(_ delivery: Delivery) async {
        guard isCurrent(delivery) else { return }
        await settled(1)
    }

    private func settled(_ count: Int) async {
        guard prefetch.acknowledged(count), active != nil else { return }
        _ = await adjust()
    }

    // MARK: Pause

    /// Stops the flow: the broker delivers nothing more. What was delivered is still to be taken and settled.
    public func pause() async {
        isPaused = true
        _ = await adjust()
    }

    /// Lets messages flow again, beginning with a prefetch of 1.
    public func resume() async {
        guard isPaused else { return }
        isPaused = false
        prefetch.started()
        _ = await adjust()
    }

    public var isConsuming: Bool { active != nil }

    /// Makes the broker's consumer what it should be: none while paused, else one with the current prefetch. One change
    /// at a time; returns why it failed, if it did (the connection then ends).
    private func adjust() async -> AMQPError? {
        guard !isChanging else { return nil }
        isChanging = true
        defer { isChanging = false }
        while let connection {
            do throws(AMQPError) {
                if isPaused {
                    guard let tag = active?.tag else { return nil }
                    active = nil
                    try await connection.cancel(tag: tag)
                } else {
                    let old = active
                    guard old?.prefetch != prefetch.current else { return nil }
                    try await start(on: connection)
                    if let old { try await connection.cancel(tag: old.tag) }
                }
            } catch {
                lastFailure = error
                await connection.close()
                return error
            }
        }
        return lastFailure
    }

    /// A quorum queue changes no running consumer's prefetch: a second one is started before the first is cancelled.
    private func start(on connection: Connection) async throws(AMQPError) {
        consumers += 1
        let new = Active(tag: "\(name)/\(generation).\(consumers)", prefetch: prefetch.current)
        let number = generation
        try await connection.consume(queue, tag: new.tag, prefetch: new.prefetch) { [weak self] event in
            self?.assumeIsolated { $0.received(event, on: number, tag: new.tag) }
        }
        active = new
    }
}
