import AMQP
import Daemon
import Postgres

/// Reads one queue in batches, records each in one transaction and acknowledges what is committed.
///
/// While the database is away it takes nothing new and requeues nothing: it keeps what it has, tries again, and consumes
/// again only after it has written all of it. When asked to stop it records what was delivered, then returns.
struct RecordingLoop<Kind: Recording>: Service {
    let kind: Kind
    let consumer: Consumer
    let database: Database
    let configuration: Configuration
    let metrics: RecordingMetrics
    let condition: Readiness.Condition

    var name: String { kind.queue }

    func run() async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { await consumer.run() }
            group.addTask {
                await Shutdown.current.wait()
                await consumer.pause()
            }
            await recordUntilStopped()
            group.cancelAll()
            try await group.waitForAll()
        }
    }

    private func recordUntilStopped() async {
        guard await waitForDatabase() else { return }
        await consumer.resume()
        condition.ready()
        var held = HeldMessages<Kind.Item>()
        while !Task.isCancelled {
            guard await settle(&held) else { return }
            let batch = await take()
            if batch.isEmpty {
                // What is held goes back to the queue at the end; another recorder may have more luck.
                let isEmptyHanded = await consumer.unsettled <= held.count
                if Shutdown.current.isRequested, isEmptyHanded { return }
                if isEmptyHanded, await consumer.isPaused, !Shutdown.current.isRequested { await consumer.resume() }
                continue
            }
            let began = ContinuousClock.now
            guard await settle(batch, &held) else { return }
            metrics.batchSeconds.observe(ContinuousClock.now - began)
        }
    }

    /// The next messages, at most a batch; none when there was none for a while.
    private func take() async -> [AMQP.Delivery] {
        guard let first = await consumer.next(until: .now + .milliseconds(200)) else { return [] }
        var batch = [first]
        let cut = ContinuousClock.now + configuration.batchWait
        while batch.count < kind.batch, let next = await consumer.next(until: cut) { batch.append(next) }
        return batch
    }

    /// Records and acknowledges. False if it was asked to stop before the database took the batch; the broker then gives
    /// the messages to somebody else.
    private func settle(_ batch: [AMQP.Delivery], _ held: inout HeldMessages<Kind.Item>) async -> Bool {
        metrics.messages.add(batch.count)
        var readable: [(delivery: AMQP.Delivery, item: Kind.Item)] = []
        for delivery in batch {
            do {
                readable.append((delivery, try kind.decode(delivery)))
            } catch {
                guard await bury(delivery, BurialReason(error)) else { return false }
            }
        }
        if readable.isEmpty { return true }
        switch await persist(readable.map(\.item)) {
        case .recorded:
            if held.isEmpty {
                // Everything delivered before the last one is settled by now, too.
                await consumer.ack(upTo: readable[readable.count - 1].delivery)
            } else {
                await consumer.ack(readable.map(\.delivery))
            }
            return true
        case .stopped: return false
        case .held:
            for (delivery, item) in readable {
                guard await settleAlone(delivery, item, &held) else { return false }
            }
            return true
        case .refused(let reason):
            if readable.count == 1 {
                return await settleInParts(readable[0].delivery, readable[0].item, reason)
            }
            for (delivery, item) in readable {
                guard await settleAlone(delivery, item, &held) else { return false }
            }
            return true
        }
    }

    /// Takes up what was set aside, oldest first, until one is still held.
    private func settle(_ held: inout HeldMessages<Kind.Item>) async -> Bool {
        while let (delivery, item) = held.next() {
            // Of a connection that is gone: the broker gives it to somebody again.
            guard await consumer.isCurrent(delivery) else { continue }
            let before = held.count
            guard await settleAlone(delivery, item, &held) else { return false }
            if held.count > before { return true }
        }
        return true
    }

    private func settleAlone(
        _ delivery: AMQP.Delivery, _ item: Kind.Item, _ held: inout HeldMessages<Kind.Item>
    ) async -> Bool {
        switch await persist([item], lockWait: HeldMessages<Kind.Item>.lockWait) {
        case .recorded:
            await consumer.ack(delivery)
            return true
        case .held:
            metrics.held.add()
            held.setAside(delivery, item)
            await consumer.setAside(delivery)
            return true
        case .stopped: return false
        case .refused(let reason): return await settleInParts(delivery, item, reason)
        }
    }

    /// What can be recorded of a refused message is; the message itself is buried.
    private func settleInParts(_ delivery: AMQP.Delivery, _ item: Kind.Item, _ reason: String) async -> Bool {
        let parts = kind.parts(of: item)
        if parts.count > 1 {
            for part in parts {
                // A part that is held is waited for: the message is buried right after.
                var end = await persist([part])
                while case .held = end, !Shutdown.current.isRequested { end = await persist([part]) }
                if case .held = end { return false }
                if case .stopped = end { return false }
            }
        }
        return await bury(delivery, .refused(reason))
    }

    private func bury(_ delivery: AMQP.Delivery, _ reason: BurialReason) async -> Bool {
        metrics.buried.add()
        Log.warning(
            "message can't be recorded",
            [
                .queue: .string(kind.queue), .reason: .string(reason.word), .cause: .string(reason.text),
                .messageID: .string(delivery.messageID),
            ])
        return await kind.bury(delivery, reason, on: consumer)
    }

    private enum Persistence {
        case recorded
        case held
        case refused(String)
        case stopped
    }

    /// Tries until the database has it or refuses it; holds the flow back meanwhile.
    private func persist(_ items: [Kind.Item], lockWait: Duration? = nil) async -> Persistence {
        var attempts = 0
        while true {
            do throws(RecordingError) {
                // Says at once what a call would say only at its deadline.
                if let fault = await database.fault { throw .trouble("\(fault)") }
                try await kind.record(items, lockWait: lockWait)
                if attempts > 0 { condition.ready() }
                return .recorded
            } catch {
                attempts += 1
                switch error {
                case .poison(let reason): return .refused(reason)
                case .held: return .held
                case .conflict:
                    metrics.conflicts.add()
                    try? await Task.sleep(for: .milliseconds(Int.random(in: 1...10 * min(attempts, 20))))
                    if Task.isCancelled { return .stopped }
                case .trouble(let reason):
                    metrics.troubles.add()
                    condition.notReady(reason)
                    await consumer.pause()
                    let pause = min(configuration.longestPause, .milliseconds(50) * (1 << min(attempts, 10)))
                    guard await Shutdown.current.sleep(for: pause * Double.random(in: 0.5...1)) else { return .stopped }
                }
            }
        }
    }

    private func waitForDatabase() async -> Bool {
        while true {
            do {
                try await database.check(within: .seconds(1))
                return true
            } catch {
                condition.notReady("\(error)")
                guard await Shutdown.current.sleep(for: .milliseconds(200)) else { return false }
            }
        }
    }
}

extension LogKey {
    static let messageID: LogKey = "message.id"
    static let route: LogKey = "route"
    static let count: LogKey = "count"
    static let reason: LogKey = "reason"
}
