import Daemon
import Messages
import TestSupport
import Testing

@testable import OutboxRelay

struct DeadQueueWatchTests {
    @Test func `a queue that may be half full is told, in messages and as a share`() throws {
        let metrics = Metrics()
        var watch = DeadQueueWatch(metrics)
        watch.note(DeadQueueWatch.queues[0], messages: 1_000_000)
        #expect(metrics.exposition().contains(#"mobile_delivery_dead_queue_messages{queue="hints.apns.dead"} 1000000"#))
        #expect(metrics.exposition().contains(#"mobile_delivery_dead_queue_fill{queue="hints.apns.dead"} 0.5"#))
    }

    @Test func `limits are those of the policies`() throws {
        let policies =
            try JSONValue(parsing: Array(Repository.text("topology/definitions.json").utf8))["policies"]?.array ?? []
        func limit(_ name: String) -> Int64? {
            policies.first { $0["name"]?.string == name }?["definition"]?["max-length-bytes"]?.integer
        }
        for queue in DeadQueueWatch.queues {
            #expect(Int64(queue.limit) == limit(queue.name == "parking" ? "parking" : "dead"), "\(queue.name)")
        }
    }
}
