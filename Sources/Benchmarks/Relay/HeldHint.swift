import AMQP
import Delivery
import LocalStack

/// A consumer of the route's queue that holds one hint and takes no more: the relay publishes to a queue that has a
/// consumer, and nobody works at it.
enum HeldHint {
    /// Commits one job, has a relay publish its hints, holds the first while `body` runs, and gives `body` its bytes. The
    /// other hints of that job stay in the queue and in `due`.
    static func with<Result: Sendable>(
        _ site: OutboxSite, _ filler: OutboxFiller, _ settings: [String: String],
        _ body: ([UInt8]) async throws -> Result
    ) async throws -> Result {
        let consumer = Consumer(
            try ConnectionSettings(url: site.stack.amqpURL), queue: OutboxSite.route.queue, name: "bench/hold",
            prefetch: PrefetchPolicy(maximum: 1))
        let running = Task { await consumer.run() }
        defer { running.cancel() }
        try await filler.commit(hints: filler.devices)
        _ = try await RelayRun(site: site, settings: settings).drain(filler.devices, held: 1, number: 0)
        guard let hint = await consumer.next(until: .now + .seconds(10)) else { throw Unusable("no hint came") }
        return try await body(hint.body)
    }
}
