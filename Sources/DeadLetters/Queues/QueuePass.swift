import AMQP
import Daemon
import Postgres

/// One pass through a dead-letter queue, over as many messages as it held at the beginning. A message leaves the queue only
/// after the broker has confirmed it where it belongs, and after the database has noted that: whoever is killed at any
/// point leaves it here, there, or in both places, and the next pass finds the letter closed and takes the copy away.
struct QueuePass {
    struct Result: Equatable, Sendable {
        var replayed = 0
        var removed = 0
        var rotated = 0

        static func += (sum: inout Result, other: Result) {
            sum.replayed += other.replayed
            sum.removed += other.removed
            sum.rotated += other.rotated
        }
    }

    /// A message with what becomes of it.
    struct Decided {
        let delivery: AMQP.Delivery
        let fate: CopyFate
        var letter: Int64?
    }

    let broker: AMQP.ConnectionSettings
    let queue: DeadQueue
    /// Ends once so many are replayed; nil: at the end of the queue.
    var enough: Int?
    /// Messages that have to be there, as far as is known.
    var expected: Int
    /// How long the broker may take no message (a full queue) before the pass ends.
    private static let patience = Duration.seconds(30)
    /// How long what is expected may be with somebody who read the queue just before: a reader's messages are back a moment
    /// after its connection has gone, and until then the broker does not count them.
    private static let lent = Duration.seconds(2)

    init(_ broker: AMQP.ConnectionSettings, _ queue: DeadQueue, enough: Int? = nil, expected: Int? = nil) {
        self.broker = broker
        self.queue = queue
        self.enough = enough
        self.expected = expected ?? enough ?? 0
    }

    /// `judge` says what becomes of a batch; `settled` notes one that the broker has, before its originals are acknowledged.
    func run(
        pace: inout ReplayPace?, until shutdown: Shutdown, judge: ([AMQP.Delivery]) async throws -> [Decided],
        settled: ([Decided]) async throws -> Void
    ) async throws -> Result {
        // Before our own consumer is there, which would hold what it was given and so hide it.
        var left = try await depth()
        let consumer = Consumer(
            broker, queue: queue.rawValue, name: "operator/dead", prefetch: PrefetchPolicy(maximum: 200))
        let publisher = Publisher(broker, name: "operator/replay")
        let connections = Task {
            await withDiscardingTaskGroup { group in
                group.addTask { await consumer.run() }
                group.addTask { await publisher.run() }
            }
        }
        defer { connections.cancel() }
        var result = Result()
        while left > 0, !shutdown.isRequested, enough.map({ result.replayed < $0 }) ?? true {
            let batch = await take(min(left, pace?.batch ?? 200), from: consumer)
            guard !batch.isEmpty else { break }
            left -= batch.count
            let decided = try await judge(batch)
            let replays = decided.count { if case .replay = $0.fate { true } else { false } }
            if replays > 0, let pause = pace?.pause(at: .now) { _ = await shutdown.sleep(for: pause) }
            // What is in hand then goes back unharmed.
            if shutdown.isRequested { break }
            pace?.took(replays, at: .now)
            try await publish(decided, by: publisher)
            try await settled(decided)
            if let last = batch.last { await consumer.ack(upTo: last) }
            result.replayed += replays
            result.removed += decided.count { $0.fate == .remove }
            result.rotated += decided.count { $0.fate == .rotate }
        }
        connections.cancel()
        await connections.value
        return result
    }

    /// Messages of the queue, once there are as many as are looked for, or nobody has brought back more for a while.
    private func depth() async throws -> Int {
        let connection = try await AMQP.Connection.open(broker, name: "operator/dead")
        let end = ContinuousClock.now + Self.lent
        var ready = 0
        repeat {
            guard let counts = try await connection.counts(of: queue.rawValue) else {
                await connection.close()
                throw CommandFailure(
                    .configuration, "there is no queue \(queue.rawValue): run `mobile-delivery topology apply`")
            }
            ready = counts.ready
            if ready >= expected { break }
            try await Task.sleep(for: .milliseconds(50))
        } while .now < end
        await connection.close()
        return ready
    }

    private func take(_ most: Int, from consumer: Consumer) async -> [AMQP.Delivery] {
        guard let first = await consumer.next(until: .now + .seconds(20)) else { return [] }
        var batch = [first]
        let cut = ContinuousClock.now + .milliseconds(20)
        while batch.count < most, let next = await consumer.next(until: cut) { batch.append(next) }
        var current: [AMQP.Delivery] = []
        for delivery in batch where await consumer.isCurrent(delivery) { current.append(delivery) }
        return current
    }

    /// Returns once the broker has confirmed every one.
    private func publish(_ decided: [Decided], by publisher: Publisher) async throws {
        var open = decided.compactMap { each in
            switch each.fate {
            case .remove: nil as Message?
            case .rotate: DeadCopy.message(each.delivery, to: queue.rawValue, isReplay: false)
            case .replay(let target): DeadCopy.message(each.delivery, to: target, isReplay: true)
            }
        }
        let end = ContinuousClock.now + Self.patience
        while !open.isEmpty {
            var again: [Message] = []
            var fault = ""
            for await group in await publisher.publish(open, deadline: .now + .seconds(10)) {
                for published in group {
                    switch published.result {
                    case .confirmed: break
                    case .returned:
                        throw CommandFailure(
                            .configuration,
                            "replay reaches no queue \(open[published.index].routingKey): run `mobile-delivery topology apply`"
                        )
                    // One that came through without a word is there twice then, and its consumer knows it by its id.
                    case .nacked, .unknown, .notWritten:
                        fault = "\(published.result)"
                        again.append(open[published.index])
                    }
                }
            }
            guard again.isEmpty || .now < end else {
                throw CommandFailure(.temporary, "the broker took no message for \(Self.patience): \(fault)")
            }
            if !again.isEmpty { try await Task.sleep(for: .milliseconds(500)) }
            open = again
        }
    }
}
