import Daemon
import Delivery
import Postgres
import TestSupport
import Testing

@testable import OutboxRelay

/// What the relay says of the tables, from a count that everybody shares.
@Suite(.serialized, .timeLimit(.minutes(5)))
struct BacklogTests {
    private static var uncached: Configuration {
        var configuration = Configuration()
        configuration.countEvery = .zero
        return configuration
    }

    private func metrics(of fixture: OutboxFixture) async throws -> String {
        let metrics = Metrics()
        let shown = OutboxMetrics(metrics)
        for line in try await fixture.store.backlog() {
            shown.show(line, of: line.route == 0 ? "events" : "route-\(line.route)")
        }
        shown.show(try await fixture.store.health(), ownLeases: try await fixture.store.ownLeases())
        return metrics.exposition()
    }

    @Test func `every row is counted once, by what it is doing`() async throws {
        try await OutboxFixture.with(devices: 5, configuration: Self.uncached) { fixture in
            try await fixture.commit()
            try await fixture.announce()
            let batch = try await fixture.claim(3)
            let claims = batch.claims.map(\.lease).sorted { $0.id < $1.id }
            #expect(claims.count == 3)
            _ = try await fixture.store.confirmHints(Leases([claims[0]]))
            _ = try await fixture.store.confirmHints(Leases([claims[1]]))
            try await fixture.admin.execute(
                "UPDATE delivery.due SET lease_until = now() - interval '1 second' WHERE id = \(claims[1].id)")
            try await fixture.admin.execute(
                """
                UPDATE delivery.due SET due_at = now() + interval '1 hour', last_error = 'deferred 503 ServiceUnavailable'
                WHERE id = (SELECT max(id) FROM delivery.due WHERE route > 0)
                """)
            let text = try await metrics(of: fixture)
            let route = "route-\(fixture.apns.number)"
            for (name, count) in [("due", 1), ("leased", 1), ("awaiting", 1), ("lapsed", 1)] {
                #expect(text.contains("mobile_delivery_outbox_\(name){route=\"\(route)\"} \(count)\n"), "\(name)")
            }
            #expect(text.contains("mobile_delivery_outbox_deferred{reason=\"provider\",route=\"\(route)\"} 1\n"))
            #expect(text.contains("mobile_delivery_outbox_due{route=\"events\"} 1\n"))
            #expect(text.contains("mobile_delivery_relay_leased 2\n"))
        }
    }

    @Test func `a young count is shared, an old one made anew`() async throws {
        var patient = Configuration()
        patient.countEvery = .seconds(60)
        try await OutboxFixture.with(configuration: patient) { fixture in
            let before = try await fixture.store.backlog().map(\.due).reduce(0, +)
            try await fixture.commit()
            let shared = try await fixture.store.backlog().map(\.due).reduce(0, +)
            try await fixture.admin.execute("UPDATE delivery.census SET counted_at = counted_at - interval '61 s'")
            let anew = try await fixture.store.backlog().map(\.due).reduce(0, +)
            #expect([before, shared, anew] == [0, 0, 1])
        }
    }

    @Test func `while somebody counts, others go on with the last count`() async throws {
        try await OutboxFixture.with(configuration: Self.uncached) { fixture in
            _ = try await fixture.store.backlog()
            try await fixture.commit()
            let counting = try await Connection.open(try fixture.scratch.settings)
            try await counting.transaction { transaction in
                try await transaction.execute(
                    "SELECT pg_advisory_xact_lock(hashtextextended('delivery.census', 0))")
                let meanwhile = try await fixture.store.backlog().map(\.due).reduce(0, +)
                #expect(meanwhile == 0)
            }
            await counting.close()
        }
    }

    @Test func `the oldest transaction that keeps dead rows is named`() async throws {
        try await OutboxFixture.with(configuration: Self.uncached) { fixture in
            let reader = try await Connection.open(try fixture.scratch.settings)
            try await reader.transaction { transaction in
                try await transaction.execute("SET LOCAL application_name = 'forgotten'")
                try await transaction.script("DECLARE held CURSOR FOR SELECT * FROM delivery.due")
                let health = try await fixture.store.health()
                #expect(health.snapshotAge > .zero && health.snapshotOwner.contains("forgotten pid"))
            }
            await reader.close()
            let health = try await fixture.store.health()
            #expect(health.partitions == 8 && health.partitionsAhead > .seconds(6 * 86_400) && !health.hasStrayRows)
        }
    }

    @Test func `rows that a sweep finds below the floor are counted`() {
        var floors = RelayFloors(slack: 0, sweepEvery: .seconds(1))
        let start = ContinuousClock.now
        _ = floors.next(at: start)
        floors.claimed([], limit: 10, begun: 1000)
        _ = floors.next(at: start + .milliseconds(10))
        #expect(floors.below([(share: 3, dueAt: 999)]) == 0)
        _ = floors.next(at: start + .seconds(1))
        #expect(floors.below([(share: 3, dueAt: 999), (share: 4, dueAt: 1000)]) == 1)
    }
}
