import AMQP
import Delivery
import LocalStack
import Messages

/// Takes the outcomes that a sender publishes, in place of the recorder, and counts them.
actor OutcomeTally {
    private(set) var accepted = 0
    /// Of other kinds, with how many of each.
    private(set) var others: [String: Int] = [:]
    private(set) var first: ContinuousClock.Instant?
    private(set) var last: ContinuousClock.Instant?
    private var waiting: (count: Int, continuation: CheckedContinuation<Void, Never>)?

    var total: Int { accepted + others.values.reduce(0, +) }

    /// While `body` runs, whatever comes into the recorder's queue is counted.
    static func with<Result: Sendable>(
        _ site: OutboxSite, _ body: (OutcomeTally) async throws -> Result
    ) async throws -> Result {
        let tally = OutcomeTally()
        let consumer = Consumer(
            try ConnectionSettings(url: site.stack.amqpURL), queue: "recorder.outcomes", name: "bench/outcomes",
            prefetch: PrefetchPolicy(maximum: 100))
        let running = Task { await consumer.run() }
        let counting = Task {
            while let message = await consumer.next() {
                await tally.take(message.body)
                await consumer.ack(message)
            }
        }
        defer {
            counting.cancel()
            running.cancel()
        }
        return try await body(tally)
    }

    /// Returns once there are so many, or when nothing came for ten seconds.
    func wait(for count: Int) async throws {
        while total < count {
            let before = total
            let watchdog = Task {
                try await Task.sleep(for: .seconds(10))
                wake()
            }
            await withCheckedContinuation { waiting = (count, $0) }
            watchdog.cancel()
            guard total > before else { throw Unusable("only \(total) of \(count) outcomes came") }
        }
    }

    private func take(_ body: [UInt8]) {
        guard let batch = try? OutcomeBatch(decoding: body) else {
            others["not decodable", default: 0] += 1
            return
        }
        let now = ContinuousClock.now
        if first == nil { first = now }
        last = now
        for outcome in batch.outcomes {
            if outcome.kind == .accepted { accepted += 1 } else { others[outcome.kind.rawValue, default: 0] += 1 }
        }
        if let waiting, total >= waiting.count { wake() }
    }

    private func wake() {
        waiting?.continuation.resume()
        waiting = nil
    }
}
