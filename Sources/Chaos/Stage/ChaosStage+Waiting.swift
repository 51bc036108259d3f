import AMQP
import Delivery
import LocalStack
import Postgres

extension ChaosStage {
    /// The database's clock.
    nonisolated func now() async throws -> Timestamp {
        try await database.query("SELECT clock_timestamp() AS now").one()["now"]
    }

    /// Asks until `fact` holds; false if it does not within `limit`.
    nonisolated func comesTrue(within limit: Duration, _ fact: () async throws -> Bool) async throws -> Bool {
        let end = ContinuousClock.now + limit
        while try await !fact() {
            guard .now < end else { return false }
            try await Task.sleep(for: .milliseconds(10))
        }
        return true
    }

    /// What a queue holds; nil if there is none.
    nonisolated func counts(of queue: String) async throws -> QueueCounts? {
        let connection = try await AMQP.Connection.open(ConnectionSettings(url: stack.site.amqpURL), name: "chaos/ask")
        return try await cleaningUp {
            await connection.close()
        } after: {
            try await connection.counts(of: queue)
        }
    }

    /// Whether nothing waits for anybody; the tap too has seen all then.
    nonisolated func hasEmptyQueues() async throws -> Bool {
        for queue in routes.map(\.queue) + ["recorder.outcomes", "dead.index", Tap.queue] {
            guard let counts = try await counts(of: queue), counts.ready == 0, counts.consumers > 0 else {
                return false
            }
        }
        return true
    }

    /// Ends whatever a campaign left behind, so that the next begins with nothing.
    nonisolated func clear() async throws {
        try await database.script(
            """
            UPDATE delivery.push_outbox SET state = 'failed', reason = 'campaign over' WHERE state = 'pending';
            DELETE FROM delivery.due;
            """)
    }
}
