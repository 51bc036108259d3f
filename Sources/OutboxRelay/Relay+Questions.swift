import AMQP
import Daemon
import Delivery
import Postgres
import Storage

extension Relay {
    /// Every 250 ms: what operators want of the routes, and what their queues hold.
    func askRepeatedly(until shutdown: Shutdown) async {
        repeat {
            await ask()
            conditions.judge(
                breakersOpen: breakers.filter(\.value.isOpen).map(\.key), now: .now, limit: configuration.unreadyAfter)
        } while await waitToAsk(shutdown)
    }

    private func ask() async {
        let askedAt = ContinuousClock.now
        do {
            let (rows, now) = try await store.routes()
            databaseNow = now
            update(rows)
        } catch {
            conditions.claimFailed(error, for: configuration.unreadyAfter)
            return
        }
        guard let now = databaseNow?.microseconds else { return }
        do {
            try await askAboutResults(at: now)
            for number in lanes.keys.sorted() {
                guard let queue = lanes[number]?.row?.route.queue else { continue }
                try await ask(number, queue, at: now)
            }
            let isBlocked = await publisher.isBlocked
            if isBlocked { metrics.blockedSeconds.add(configuration.askEvery / .seconds(1)) }
            conditions.brokerAnswered(isBlocked: isBlocked, since: askedAt, configuration.unreadyAfter)
        } catch {
            forgetQueues()
            conditions.brokerFailed(error)
        }
    }

    /// New routes get a lane, those that are gone lose theirs.
    private func update(_ rows: [OutboxStore.RouteRow]) {
        let known = Set(rows.map(\.number))
        for number in lanes.keys where number != RouteTable.events && !known.contains(number) { lanes[number] = nil }
        for row in rows {
            if lanes[row.number] == nil { lanes[row.number] = RouteLane(row, configuration) }
            if lanes[row.number]?.isPausedByHand != row.isPausedByHand {
                lanes[row.number]?.isPausedByHand = row.isPausedByHand
                Log.info(
                    row.isPausedByHand ? "route paused by hand" : "route open",
                    [.route: .string(row.route.description)])
            }
        }
    }

    private func askAboutResults(at now: Int64) async throws(AMQPError) {
        let held = try await questions.counts(of: QueueName.outcomes)
        outcomesReady = held?.ready
        outcomes.note(held, at: now)
        conditions.queue(QueueName.outcomes, exists: held != nil)
        let index = try await questions.counts(of: QueueName.deadIndex)
        deadIndex.note(index, at: now)
        conditions.queue(QueueName.deadIndex, exists: index != nil)
        metrics.queueReady(QueueName.outcomes).set(held?.ready ?? 0)
    }

    private func ask(_ number: Int16, _ queue: String, at now: Int64) async throws(AMQPError) {
        let askedAt = ContinuousClock.now
        lanes[number]?.flow.asking()
        let counts = try await questions.counts(of: queue)
        conditions.queue(queue, exists: counts != nil)
        lanes[number]?.sight.note(counts, at: now)
        lanes[number]?.flow.answered(ready: counts?.ready, consumers: counts?.consumers ?? 0, askedAt: askedAt)
        metrics.queueReady(queue).set(counts?.ready ?? 0)
        metrics.queueCap(queue).set(lanes[number]?.flow.cap ?? 0)
    }

    private func forgetQueues() {
        outcomesReady = nil
        outcomes.lost()
        deadIndex.lost()
        for number in lanes.keys {
            lanes[number]?.sight.lost()
            lanes[number]?.flow.forget()
        }
    }
}

/// Queues of others that the relay looks at.
enum QueueName {
    static let outcomes = "recorder.outcomes"
    static let deadIndex = "dead.index"
}

extension RelayRepublishProof.Sight {
    mutating func note(_ counts: QueueCounts?, at instant: Int64) {
        guard let counts else { return lost() }
        seen(ready: counts.ready, consumers: counts.consumers, at: instant)
    }
}

extension LogKey {
    static let route: LogKey = "route"
}
