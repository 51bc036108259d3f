import Daemon
import Postgres

/// The chores that any relay may do and one at a time does: partitions made ahead and dropped by age, single rows that
/// outlived their job, dead letters of jobs that are long over.
struct Housekeeping: Sendable {
    let store: OutboxStore
    let metrics: OutboxMetrics

    /// Each chore by itself: one that fails is tried again at the next round, and keeps no other from its work.
    func doAll(until shutdown: Shutdown) async {
        let configuration = store.configuration
        await chore("partitions not made") {
            let made = try await store.makePartitions()
            if made > 0 { Log.info("partitions made", [.rows: .count(made)]) }
        }
        await chore("dead letters not closed") {
            let page = 1000
            while try await store.expireDeadLetters(retention: configuration.historyRetention, atMost: page) == page,
                !shutdown.isRequested
            {}
        }
        await drop("push_outbox", after: configuration.historyRetention, until: shutdown)
        await drop("event_outbox", after: configuration.eventRetention, until: shutdown)
        await chore("history not swept") {
            while try await store.sweepHistory(retention: configuration.historyRetention), !shutdown.isRequested {}
        }
    }

    private func drop(_ parent: String, after retention: Duration, until shutdown: Shutdown) async {
        await chore("partition not dropped") {
            while !shutdown.isRequested, let name = try await store.dropPartition(of: parent, retention: retention) {
                metrics.partitionsDropped.add()
                Log.info("partition dropped", [.table: .string(name)])
            }
        }
    }

    private func chore(_ failure: StaticString, _ body: () async throws -> Void) async {
        do {
            try await body()
        } catch {
            Log.warning(failure, [.cause: .string("\(error)")])
        }
    }
}

extension LogKey {
    fileprivate static let rows: LogKey = "rows"
    fileprivate static let table: LogKey = "table"
}
