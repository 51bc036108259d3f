import Postgres
import Testing

@testable import OutboxRelay

/// Claim and confirm change no index: otherwise each hint would leave four dead index entries behind.
@Suite(.timeLimit(.minutes(2)))
struct HeapOnlyTests {
    @Test(arguments: [false, true])
    func `every claim and every confirm is a heap-only update`(_ isHorizonPinned: Bool) async throws {
        try await OutboxFixture.with(devices: 8) { outbox in
            try await outbox.withOneConnection { database, store in
                let body: () async throws -> Void = {
                    try await outbox.commitMany(200)
                    for _ in 0..<4 {
                        let batch = try await Claimed(
                            store.claimHints(
                                outbox.apns, atMost: 400, floors: OutboxFixture.noFloors, proof: OutboxFixture.noProof))
                        #expect(batch.claims.count == 400)
                        let leases = batch.claims.map(\.lease).sorted { $0.id < $1.id }
                        #expect(try await store.confirmHints(Leases(leases)) == 400)
                    }
                    let updates = try await outbox.updates(database)
                    #expect(updates.all == 3200 && updates.hot == 3200, "\(updates)")
                }
                if isHorizonPinned { try await outbox.withPinnedHorizon(body) } else { try await body() }
            }
        }
    }
}
