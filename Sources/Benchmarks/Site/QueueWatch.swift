import AMQP
import LocalStack

/// Looks at queues of a site from outside.
struct QueueWatch {
    private let connection: AMQP.Connection

    static func open(_ site: OutboxSite) async throws -> QueueWatch {
        QueueWatch(
            connection: try await AMQP.Connection.open(
                AMQP.ConnectionSettings(url: site.stack.amqpURL), name: "bench/watch"))
    }

    /// Messages that are with no consumer.
    func ready(_ queue: String) async throws -> Int { try await connection.counts(of: queue)?.ready ?? 0 }

    func close() async { await connection.close() }
}
