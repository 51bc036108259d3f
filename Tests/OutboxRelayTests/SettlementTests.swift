import AMQP
import Delivery
import Postgres
import TestSupport
import Testing

@testable import OutboxRelay

@Suite(.timeLimit(.minutes(2)))
struct SettlementTests {
    private func withClaim(_ body: (OutboxFixture, Claim) async throws -> Void) async throws {
        try await OutboxFixture.with { outbox in
            try await outbox.commit()
            try await body(outbox, try #require(try await outbox.claim().claims.first))
        }
    }

    @Test func `a confirm moves the lease and forgets the crashes`() async throws {
        try await withClaim { outbox, claim in
            try await outbox.admin.execute(
                "UPDATE delivery.due SET crashes = 5, lease_until = now() + interval '1 second'")
            #expect(try await outbox.store.confirmHints(Leases([claim.lease])) == 1)
            let row = try #require(try await outbox.due())
            #expect(row.isPublished && row.isLeased && row.crashes == 0 && row.leaseLeft > 110)
        }
    }

    @Test func `an unknown publish keeps its deadline and its crashes`() async throws {
        try await withClaim { outbox, claim in
            try await outbox.admin.execute(
                "UPDATE delivery.due SET crashes = 2, lease_until = now() + interval '5 seconds'")
            #expect(try await outbox.store.keepUnknown(Leases([claim.lease])) == 1)
            let row = try #require(try await outbox.due())
            #expect(row.isPublished && row.crashes == 2 && row.leaseLeft < 6)
        }
    }

    @Test func `what never reached the socket is due at once and charged with nothing`() async throws {
        try await withClaim { outbox, claim in
            #expect(try await outbox.store.release(Leases([claim.lease])) == 1)
            let row = try #require(try await outbox.due())
            #expect(!row.isLeased && row.isDue && row.crashes == 0 && row.seq == 1)
            #expect(try await outbox.claim().claims.count == 1)
            #expect(try await outbox.due()?.crashes == 0)
        }
    }

    @Test func `a refused publish is due later and charged with nothing`() async throws {
        try await withClaim { outbox, claim in
            #expect(
                try await outbox.store.postpone(Leases([claim.lease]), by: [.seconds(8)], errors: ["nacked"]) == 1)
            let row = try #require(try await outbox.due())
            #expect(!row.isLeased && (7...8).contains(row.dueIn) && row.crashes == 0 && row.lastError == "nacked")
        }
    }

    @Test func `what can never be published is buried`() async throws {
        try await withClaim { outbox, claim in
            #expect(try await outbox.store.bury(Leases([claim.lease]), errors: ["too large"]) == 1)
            #expect(try await outbox.due() == nil)
            let entry = try await outbox.entry()
            #expect(entry.state == "failed" && entry.reason == "buried" && entry.seq == 1)
            #expect(try await outbox.deadLetters() == ["outbox buried: too large hint.v1"])
        }
    }

    @Test(arguments: ["confirm", "unknown", "release", "postpone", "bury"])
    func `everything is fenced by the lease token`(_ verb: String) async throws {
        try await withClaim { outbox, claim in
            let before = try await outbox.due()
            let stale = Leases([Lease(id: claim.lease.id, token: claim.lease.token - 1)])
            let found =
                switch verb {
                case "confirm": try await outbox.store.confirmHints(stale)
                case "unknown": try await outbox.store.keepUnknown(stale)
                case "release": try await outbox.store.release(stale)
                case "postpone": try await outbox.store.postpone(stale, by: [.seconds(1)], errors: [""])
                default: try await outbox.store.bury(stale, errors: [""])
                }
            #expect(found == 0)
            let after = try await outbox.due()
            #expect(after?.isLeased == before?.isLeased && after?.isPublished == false)
        }
    }

    @Test func `an event leaves with its confirm`() async throws {
        try await OutboxFixture.with { outbox in
            try await outbox.announce(headers: #"{"traceparent": "00-x", "md-seq": 3}"#)
            let claim = try #require(try await outbox.claimEvents().claims.first)
            #expect(claim.message.exchange == "events" && claim.message.routingKey == "job.completed")
            #expect(claim.message.type == "job.completed.v1" && claim.message.body == [UInt8](#"{"version": 1}"#.utf8))
            #expect(claim.message.headers == ["traceparent": "00-x", "md-seq": 3])
            #expect(try await outbox.store.confirmEvents(Leases([claim.lease])) == 1)
            #expect(try await outbox.due() == nil)
        }
    }

    @Test func `an unknown event goes again after its lease, without a silence`() async throws {
        try await OutboxFixture.with { outbox in
            try await outbox.announce()
            let claim = try #require(try await outbox.claimEvents().claims.first)
            _ = try await outbox.store.keepUnknown(Leases([claim.lease]))
            #expect(try await outbox.claimEvents().touched == 0)
            try await outbox.lapse()
            #expect(try await outbox.claimEvents().claims.first?.message.messageID == claim.message.messageID)
            let row = try await outbox.due()
            #expect(row?.silences == 0 && row?.crashes == 0)
        }
    }

    @Test func `eight crashes bury an event`() async throws {
        try await OutboxFixture.with { outbox in
            try await outbox.announce()
            for _ in 0..<8 {
                #expect(try await outbox.claimEvents().claims.count == 1)
                try await outbox.lapse()
            }
            #expect(try await outbox.claimEvents().others == ["buried": 1])
            #expect(try await outbox.deadLetters() == ["outbox buried: crashes job.completed.v1"])
        }
    }

    @Test func `an event without its body is buried`() async throws {
        try await OutboxFixture.with { outbox in
            try await outbox.announce()
            try await outbox.admin.execute("DELETE FROM delivery.event_outbox")
            #expect(try await outbox.claimEvents().others == ["buried": 1])
            #expect(try await outbox.due() == nil)
        }
    }
}
