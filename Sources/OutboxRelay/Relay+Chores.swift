import AMQP
import Daemon
import Delivery
import Postgres

extension Relay {
    func measureRepeatedly(until shutdown: Shutdown) async {
        var blamed = ""
        var deadQueues = DeadQueueWatch(outboxMetrics.metrics)
        repeat {
            for queue in DeadQueueWatch.queues {
                guard let counts = try? await questions.counts(of: queue.name) else { continue }
                deadQueues.note(queue, messages: counts.ready)
            }
            for (destination, breaker) in breakers { metrics.breaker(destination).set(breaker.isOpen ? 1 : 0) }
            guard let backlog = try? await store.backlog(), let health = try? await store.health(),
                let ownLeases = try? await store.ownLeases()
            else { continue }
            for line in backlog {
                if let name = lanes[line.route]?.name { outboxMetrics.show(line, of: name) }
            }
            outboxMetrics.show(health, ownLeases: ownLeases)
            // Once for each of them: the metric has the age, the log who it is.
            if health.snapshotAge > configuration.oldSnapshotAfter, blamed != health.snapshotOwner {
                blamed = health.snapshotOwner
                Log.warning(
                    "an old transaction keeps dead rows",
                    [.cause: .string(blamed), .age: .string("\(health.snapshotAge)")])
            }
        } while await shutdown.sleep(for: configuration.measureEvery)
    }

    /// Whoever is first does the chores; the others find them done.
    func keepHouseRepeatedly(until shutdown: Shutdown) async {
        let housekeeping = Housekeeping(store: store, metrics: outboxMetrics)
        repeat {
            await housekeeping.doAll(until: shutdown)
        } while await shutdown.sleep(for: configuration.partitionsEvery)
    }
}

extension LogKey {
    fileprivate static let age: LogKey = "age"
}
