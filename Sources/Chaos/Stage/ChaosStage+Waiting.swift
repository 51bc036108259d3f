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

    /// Messages that wait in a queue; nil if it cannot be asked.
    nonisolated func ready(_ queue: String) async throws -> Int? {
        let connection = try await AMQP.Connection.open(ConnectionSettings(url: stack.site.amqpURL), name: "chaos/ask")
        let counts = try await connection.counts(of: queue)
        await connection.close()
        return counts?.ready
    }

    nonisolated func hasEmptyQueues() async throws -> Bool {
        for queue in routes.map(\.queue) + ["recorder.outcomes", "dead.index"] where try await ready(queue) != 0 {
            return false
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
