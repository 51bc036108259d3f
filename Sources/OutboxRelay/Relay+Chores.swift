import Daemon
import Delivery
import Postgres

extension Relay {
    func measureRepeatedly(until shutdown: Shutdown) async {
        repeat {
            guard let backlog = try? await store.backlog() else { continue }
            var seen: Set<Int16> = []
            for line in backlog {
                seen.insert(line.route)
                publish(line)
            }
            for number in lanes.keys where !seen.contains(number) {
                publish(OutboxStore.Backlog(route: number, rows: 0, leased: 0, oldestDue: .zero))
            }
            for (destination, breaker) in breakers { metrics.breaker(destination).set(breaker.isOpen ? 1 : 0) }
        } while await shutdown.sleep(for: configuration.measureEvery)
    }

    private func publish(_ line: OutboxStore.Backlog) {
        guard let name = lanes[line.route]?.name else { return }
        metrics.due(name).set(line.rows)
        metrics.leased(name).set(line.leased)
        let (seconds, attoseconds) = line.oldestDue.components
        metrics.oldestDue(name).set(Double(seconds) + Double(attoseconds) * 1e-18)
    }

    /// Whoever is first makes tomorrow's partitions; the others find them.
    func makePartitionsRepeatedly(until shutdown: Shutdown) async {
        repeat {
            do {
                try await store.makePartitions()
            } catch {
                Log.warning("partitions not made", [.cause: .string(error.description)])
            }
        } while await shutdown.sleep(for: configuration.partitionsEvery)
    }
}
