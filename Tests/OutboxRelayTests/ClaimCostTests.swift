import Delivery
import Postgres
import TestSupport
import Testing

@testable import OutboxRelay

/// What a claim costs, in pages looked at: whatever the planner believes, whatever else lies in the table.
@Suite(.timeLimit(.minutes(2)))
struct ClaimCostTests {
    /// Seen: 30 with every plan that goes by the primary keys; thousands with one that does not.
    private static let pagesPerRow = 60

    /// What the planner knows of the tables when the claim is planned.
    enum Statistics: CaseIterable {
        case none
        case ofEmptyTables
        case ofFullerTables
        case fresh
    }

    @Test(arguments: Statistics.allCases, [false, true])
    func `a claim goes by the primary keys`(_ statistics: Statistics, _ isPlanGeneric: Bool) async throws {
        try await OutboxFixture.with(devices: 8) { outbox in
            try await outbox.admin.execute("ALTER TABLE delivery.due SET (autovacuum_enabled = false)")
            if isPlanGeneric {
                let name: String = try await outbox.admin.query("SELECT current_database()::text AS n").one()["n"]
                try await outbox.admin.execute(
                    "ALTER DATABASE \(unescaped: name) SET plan_cache_mode = force_generic_plan")
            }
            if statistics == .ofEmptyTables { try await outbox.admin.script("ANALYZE") }
            try await outbox.commitMany(500)
            if statistics == .fresh { try await outbox.admin.script("ANALYZE") }
            if statistics == .ofFullerTables {
                try await outbox.commitMany(1500)
                try await outbox.admin.script("ANALYZE")
                try await outbox.admin.execute("DELETE FROM delivery.due WHERE id % 4 <> 0")
            }
            try await outbox.withOneConnection { database, store in
                for number in 1...3 {
                    let before = try await outbox.pages(database)
                    let batch = try await Claimed(
                        store.claimHints(
                            outbox.apns, atMost: 500, floors: OutboxFixture.noFloors, proof: OutboxFixture.noProof))
                    let cost = try await outbox.pages(database) - before
                    #expect(batch.claims.count == 500)
                    // Without floors each claim passes over what the ones before have leased.
                    let passedOver = 500 * (number - 1) + (statistics == .ofFullerTables ? 12_000 : 0)
                    #expect(cost < 500 * Self.pagesPerRow + 4 * passedOver, "claim \(number): \(cost) pages")
                }
            }
        }
    }

    @Test func `ten thousand rows in flight cost the next claim nothing`() async throws {
        try await OutboxFixture.with(devices: 8) { outbox in
            try await outbox.withOneConnection { database, store in
                var floors = RelayFloors(slack: 0, sweepEvery: .seconds(3600))
                let alone = try await cost(of: 400, outbox, database, store, &floors)
                for _ in 0..<25 { try await outbox.commitMany(50) }
                for _ in 0..<10 { try await claim(1000, outbox, store, &floors) }
                let behindMany = try await cost(of: 400, outbox, database, store, &floors)
                #expect(behindMany < alone * 3 / 2, "\(behindMany) pages against \(alone)")
            }
        }
    }

    @Test func `ten thousand dead rows that nobody may clean up cost the next claim nothing`() async throws {
        try await OutboxFixture.with(devices: 8) { outbox in
            try await outbox.withPinnedHorizon {
                try await outbox.withOneConnection { database, store in
                    var floors = RelayFloors(slack: 0, sweepEvery: .seconds(3600))
                    let alone = try await cost(of: 400, outbox, database, store, &floors)
                    for _ in 0..<25 { try await outbox.commitMany(50) }
                    for _ in 0..<10 { try await claim(1000, outbox, store, &floors) }
                    try await outbox.admin.execute("DELETE FROM delivery.due")
                    let behindMany = try await cost(of: 400, outbox, database, store, &floors)
                    #expect(behindMany < alone * 3 / 2, "\(behindMany) pages against \(alone)")
                }
            }
        }
    }

    @Test func `what became of a publish is written by the primary key, whatever the statistics`() async throws {
        try await OutboxFixture.with(devices: 8) { outbox in
            try await outbox.admin.execute("ALTER TABLE delivery.due SET (autovacuum_enabled = false)")
            for _ in 0..<10 { try await outbox.commitMany(50) }
            try await outbox.admin.execute("DELETE FROM delivery.due")
            try await outbox.admin.script("VACUUM (ANALYZE, TRUNCATE false) delivery.due")
            for _ in 0..<10 { try await outbox.commitMany(50) }
            try await outbox.withOneConnection { database, store in
                var leases: [Lease] = []
                for _ in 0..<4 {
                    let batch = try await Claimed(
                        store.claimHints(
                            outbox.apns, atMost: 1000, floors: OutboxFixture.noFloors, proof: OutboxFixture.noProof))
                    leases += batch.claims.map(\.lease)
                }
                #expect(leases.count == 4000)
                leases.sort { $0.id < $1.id }
                typealias Write = (Leases) async throws -> Int
                let writes: [(name: String, write: Write)] = [
                    ("confirm", { try await store.confirmHints($0) }), ("unknown", { try await store.keepUnknown($0) }),
                    ("release", { try await store.release($0) }),
                    (
                        "postpone",
                        {
                            try await store.postpone(
                                $0, by: $0.ids.map { _ in .seconds(1) }, errors: $0.ids.map { _ in "" })
                        }
                    ),
                ]
                for (number, (name, write)) in writes.enumerated() {
                    let before = try await outbox.fetches(database)
                    #expect(try await write(Leases(Array(leases[number * 500..<(number + 1) * 500]))) == 500)
                    let fetched = try await outbox.fetches(database) - before
                    #expect(fetched < 1000, "\(name): \(fetched) rows passed over for 500")
                }
            }
        }
    }

    /// Pages that a claim of `count` newly committed rows looks at.
    private func cost(
        of count: Int, _ outbox: OutboxFixture, _ database: Database, _ store: OutboxStore,
        _ floors: inout RelayFloors
    ) async throws -> Int {
        try await outbox.commitMany(count / 8)
        let before = try await outbox.pages(database)
        try await claim(count, outbox, store, &floors)
        return try await outbox.pages(database) - before
    }

    private func claim(
        _ count: Int, _ outbox: OutboxFixture, _ store: OutboxStore, _ floors: inout RelayFloors
    ) async throws {
        let batch = try await Claimed(
            store.claimHints(
                outbox.apns, atMost: count, floors: floors.next(at: .now), proof: OutboxFixture.noProof))
        #expect(batch.claims.count == count)
        floors.claimed(batch.places, limit: count, begun: 0)
    }
}
