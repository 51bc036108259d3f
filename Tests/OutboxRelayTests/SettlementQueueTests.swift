import Daemon
import Delivery
import LocalStack
import Postgres
import TestSupport
import Testing

@testable import OutboxRelay

@Suite(.timeLimit(.minutes(2)))
struct SettlementQueueTests {
    @Test func `a confirm is written although the database was away until after the lease's end`() async throws {
        try await OutboxFixture.with { outbox in
            try await outbox.commit()
            let claim = try #require(try await outbox.claim().claims.first)
            let proxy = TCPProxy(to: outbox.scratch.url)
            defer { proxy.stop() }
            proxy.freeze()
            let database = Database(
                try ConnectionSettings(url: proxy.url(outbox.scratch.url(as: "md_relay"))), connections: 1)
            let metrics = RelayMetrics(Metrics())
            let store = OutboxStore(database: database, configuration: Configuration(), owner: .random())
            let queue = SettlementQueue(store: store, configuration: Configuration(), metrics: metrics)
            let running = Task { await queue.run() }
            let end = ContinuousClock.now + .milliseconds(100)
            await queue.add([Settlement(verb: .confirmHint, lease: claim.lease, until: end)])
            let failed = try await eventually(within: .seconds(20)) { metrics.settlementFailures.value == 1 }
            #expect(failed && ContinuousClock.now > end)
            proxy.thaw()
            let written = try await eventually(within: .seconds(20)) { try await outbox.due()?.isPublished == true }
            #expect(written && metrics.leasesLost.value == 0)
            await queue.end()
            await running.value
            await database.close()
        }
    }
}
