import AMQP
import Daemon
import LocalStack
import Postgres

/// Dead messages that are no hints, whose consumer is not on the stage: what is replayed can be counted in its queue.
struct BuriedMessages {
    static let queue = "coordinator.dead"
    private static let type = "campaign.v1"
    let ids: Set<String>

    /// Returns once all are in the index.
    static func bury(_ count: Int, on stage: ChaosStage) async throws -> BuriedMessages {
        let run = UInt64.random(in: .min ... .max)
        let ids = (0..<count).map { "campaign-\(run)-\($0)" }
        let connection = try await AMQP.Connection.open(
            AMQP.ConnectionSettings(url: stage.stack.site.amqpURL), name: "chaos/bury")
        let messages = ids.map {
            Message(
                exchange: "dead", routingKey: queue, messageID: $0, type: type,
                headers: ["md-reason": "malformed", "md-exchange": "events", "md-key": "job.submitted"],
                body: Array($0.utf8))
        }
        var confirmed = 0
        for await group in await connection.publish(messages, deadline: .now + .seconds(60)) {
            confirmed += group.count { $0.result == .confirmed }
        }
        await connection.close()
        guard confirmed == count else { throw CommandFailure(.temporary, "only \(confirmed) messages were buried") }
        let areIndexed = try await stage.comesTrue(within: .seconds(120)) {
            let row = try await stage.database.query(
                "SELECT count(*) AS n FROM delivery.dead_letter WHERE type = \(type) AND state = 'open'"
            ).one()
            return Int(try row["n"] as Int64) == count
        }
        guard areIndexed else { throw CommandFailure(.temporary, "the recorder did not index all buried messages") }
        return BuriedMessages(ids: Set(ids))
    }

    /// Those that are not in the queue that failed, byte for byte.
    func lost(on stage: ChaosStage) async throws -> [String] {
        let settings = try AMQP.ConnectionSettings(url: stage.stack.site.amqpURL)
        let count = try await stage.counts(of: "coordinator.events")?.ready ?? 0
        let consumer = Consumer(
            settings, queue: "coordinator.events", name: "chaos/count", prefetch: PrefetchPolicy(maximum: 500))
        let running = Task { await consumer.run() }
        var missing = ids
        var taken = 0
        while taken < count, let delivery = await consumer.next(until: .now + .seconds(20)) {
            taken += 1
            if delivery.body == Array(delivery.messageID.utf8) { missing.remove(delivery.messageID) }
            await consumer.ack(delivery)
        }
        running.cancel()
        await running.value
        return missing.sorted()
    }
}
