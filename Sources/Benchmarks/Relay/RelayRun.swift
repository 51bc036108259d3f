import AMQP
import Delivery
import LocalStack
import Postgres

/// One relay process that drains the rows of the route, watched from outside.
struct RelayRun {
    /// What was seen.
    struct Outcome: Sendable {
        /// Rows published and confirmed a second, from the first confirm to the last, as the database wrote them.
        let rate: Double
        /// Resident memory in KiB, with how many rows were in the queue at that moment.
        let memory: [(done: Int, kibibytes: Int)]
    }

    let site: OutboxSite
    let settings: [String: String]

    /// No cap of the queue rules: it has a consumer that takes nothing.
    static func settings(window: Int) -> [String: String] {
        [
            "MOBILE_DELIVERY_RELAY_WINDOW": "\(window)", "MOBILE_DELIVERY_RELAY_QUEUE_CAP": "1000000",
            "MOBILE_DELIVERY_RELAY_QUEUE_CAP_LEAST": "1000000",
        ]
    }

    /// Starts the relay, waits until all of `rows` are in the queue, but for those that a consumer holds, and stops it.
    /// `number` tells the logs apart.
    func drain(_ rows: Int, held: Int = 0, number: Int) async throws -> Outcome {
        let stack = site.stack
        let process = try StackProcess(
            "relay",
            ProcessCommand(
                stack.programs.mobileDelivery, ["relay"],
                environment: stack.environment(of: .relay).merging(settings) { _, given in given }),
            logPath: "\(stack.folder)/relay-\(number).log")
        do {
            let memory = try await watch(process, until: rows - held)
            guard await process.child.end(within: .seconds(25)) == .exited(0) else {
                throw Unusable("the relay did not stop: \(process.child.lastLine)")
            }
            return Outcome(rate: try await rate(of: rows), memory: memory)
        } catch {
            await process.child.end(within: .seconds(2))
            throw error
        }
    }

    private func watch(_ process: StackProcess, until rows: Int) async throws -> [(done: Int, kibibytes: Int)] {
        let connection = try await AMQP.Connection.open(
            AMQP.ConnectionSettings(url: site.stack.amqpURL), name: "bench/watch")
        var memory: [(done: Int, kibibytes: Int)] = []
        var done = 0
        var lastProgress = ContinuousClock.now
        while done < rows {
            try await Task.sleep(for: .milliseconds(50))
            let ready = try await connection.counts(of: OutboxSite.route.queue)?.ready ?? 0
            if ready > done { lastProgress = .now }
            done = ready
            if done > 0, let size = process.child.identity.residentMemory { memory.append((done, size)) }
            guard ContinuousClock.now - lastProgress < .seconds(30), process.child.identity.isRunning else {
                throw Unusable("\(done) of \(rows) rows came: \(process.child.lastLine)")
            }
        }
        await connection.close()
        return memory
    }

    /// The relay has stopped, so everything that became of the rows is written.
    private func rate(of rows: Int) async throws -> Double {
        let row = try await site.owner.query(
            """
            SELECT count(*) AS rows, count(*) FILTER (WHERE seq = 1 AND published_at IS NOT NULL) AS once,
                   coalesce(extract(epoch FROM max(published_at) - min(published_at)), 0)::float8 AS seconds,
                   format('%s never claimed, %s claimed again, %s unconfirmed', count(*) FILTER (WHERE seq = 0),
                          count(*) FILTER (WHERE seq > 1), count(*) FILTER (WHERE published_at IS NULL)) AS others
              FROM delivery.due
            """, within: .seconds(60)
        ).one()
        let found: Int64 = try row["rows"]
        let once: Int64 = try row["once"]
        let seconds: Double = try row["seconds"]
        guard found == rows, once == rows, seconds > 0 else {
            let others: String = try row["others"]
            throw Unusable("\(once) of \(found) rows were published once, \(rows) should have been: \(others)")
        }
        return Double(rows - 1) / seconds
    }
}
