import AMQP
import Delivery
import LocalStack

/// A consumer of a route's queue that takes whatever comes and acknowledges it.
enum DrainedQueue {
    static func with<Result: Sendable>(
        _ site: OutboxSite, _ route: Route, _ body: () async throws -> Result
    ) async throws -> Result {
        let consumer = Consumer(
            try ConnectionSettings(url: site.stack.amqpURL), queue: route.queue, name: "bench/drain",
            prefetch: PrefetchPolicy(maximum: 500))
        let running = Task { await consumer.run() }
        let draining = Task {
            while true {
                let batch = await consumer.nextBatch(upTo: 100, within: .milliseconds(20))
                guard let last = batch.last else { return }
                await consumer.ack(upTo: last)
            }
        }
        defer {
            draining.cancel()
            running.cancel()
        }
        return try await body()
    }
}
