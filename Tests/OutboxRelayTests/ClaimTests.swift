import AMQP
import Delivery
import Messages
import Postgres
import Storage
import TestSupport
import Testing

@testable import OutboxRelay

@Suite(.timeLimit(.minutes(2)))
struct ClaimTests {
    @Test func `a claim leases the row, grows seq and carries all that the hint needs`() async throws {
        try await OutboxFixture.with { outbox in
            let job = try await outbox.commit()[0]
            let claim = try #require(try await outbox.claim().claims.first)
            let hint = try Hint(decoding: claim.message.body)
            #expect(hint.job == job && hint.entry == claim.entry && hint.seq == 1 && hint.life == 1)
            #expect(hint.route == OutboxFixture.apnsRoute && hint.device == outbox.account.devices[0])
            #expect(hint.deadline - hint.publishedAt == 120_000)
            #expect(hint.token.sealed == [UInt8]("sealed".utf8))
            #expect(claim.message.exchange == "hints" && claim.message.routingKey == "hints.apns.production.cheqi")
            #expect(claim.message.messageID == claim.entry.description && claim.message.type == "hint.v1")
            #expect(claim.message.headers["md-seq"] == 1 && claim.message.headers["md-life"] == 1)
            let row = try #require(try await outbox.due())
            #expect(row.isLeased && !row.isPublished && row.seq == 1 && row.crashes == 0)
        }
    }

    @Test func `a leased row is nobody else's`() async throws {
        try await OutboxFixture.with { outbox in
            try await outbox.commit()
            #expect(try await outbox.claim().touched == 1)
            #expect(try await outbox.claim().touched == 0)
        }
    }

    @Test func `a lease that ended without a word is a crash (fault 3)`() async throws {
        try await OutboxFixture.with { outbox in
            try await outbox.commit()
            _ = try await outbox.claim()
            try await outbox.lapse()
            let claim = try #require(try await outbox.claim().claims.first)
            #expect(claim.message.headers["md-seq"] == 2)
            let row = try await outbox.due()
            #expect(row?.crashes == 1 && row?.silences == 0)
        }
    }

    @Test func `a lease that ended without a word waits until the recorder has written what there is`() async throws {
        try await OutboxFixture.with { outbox in
            try await outbox.commit()
            let claim = try #require(try await outbox.claim().claims.first)
            try await outbox.lapse()
            let past = claim.claimedAt.microseconds - 60_000_000
            let future = claim.claimedAt.microseconds + 60_000_000
            for waiting in [
                RelayRepublishProof(proven: future, recorded: nil, stale: nil),
                RelayRepublishProof(proven: future, recorded: past, stale: past),
            ] {
                #expect(try await outbox.claim(proof: waiting).touched == 0)
            }
            let written = RelayRepublishProof(proven: nil, recorded: future, stale: nil)
            #expect(try await outbox.claim(proof: written).touched == 1)
            try await outbox.lapse()
            let long = RelayRepublishProof(proven: nil, recorded: nil, stale: future)
            #expect(try await outbox.claim(proof: long).touched == 1)
        }
    }

    @Test func `three crashes make a suspect`() async throws {
        try await OutboxFixture.with { outbox in
            try await outbox.commit()
            for crashes in 0...3 {
                let claim = try #require(try await outbox.claim().claims.first)
                #expect(claim.isSuspect == (crashes == 3))
                try await outbox.lapse()
            }
        }
    }

    @Test func `a confirmed row waits for its proof`() async throws {
        try await OutboxFixture.with { outbox in
            try await outbox.commit()
            let claim = try #require(try await outbox.claim().claims.first)
            #expect(try await outbox.store.confirmHints(Leases([claim.lease])) == 1)
            try await outbox.lapse()
            #expect(try await outbox.claim().touched == 0)
            let past = claim.claimedAt.microseconds - 60_000_000
            #expect(
                try await outbox.claim(proof: RelayRepublishProof(proven: past, recorded: nil, stale: past)).touched
                    == 0)
            let future = claim.claimedAt.microseconds + 60_000_000
            let again = try await outbox.claim(proof: RelayRepublishProof(proven: future, recorded: nil, stale: nil))
            #expect(again.claims.first?.message.headers["md-seq"] == 2)
            let row = try await outbox.due()
            #expect(row?.silences == 1 && row?.crashes == 0)
        }
    }

    @Test func `a row published long ago goes again while all queues have consumers`() async throws {
        try await OutboxFixture.with { outbox in
            try await outbox.commit()
            let claim = try #require(try await outbox.claim().claims.first)
            _ = try await outbox.store.confirmHints(Leases([claim.lease]))
            try await outbox.lapse()
            let future = claim.claimedAt.microseconds + 60_000_000
            #expect(
                try await outbox.claim(proof: RelayRepublishProof(proven: nil, recorded: nil, stale: future)).touched
                    == 1)
        }
    }

    @Test func `a limit is kept`() async throws {
        try await OutboxFixture.with { outbox in
            try await outbox.commit(5)
            #expect(try await outbox.claim(2).claims.count == 2)
            #expect(try await outbox.claim(0).claims.isEmpty)
            #expect(try await outbox.claim(100).claims.count == 3)
        }
    }

    @Test func `one account may fill a claim but not keep another out`() async throws {
        try await OutboxFixture.with { outbox in
            try await outbox.commit(150)
            let share: Int16 = try await outbox.admin.query("SELECT min(share) AS s FROM delivery.due").one()["s"]
            let other = share == 0 ? Int16(1) : 0
            try await outbox.admin.execute(
                """
                UPDATE delivery.due SET share = \(other), due_at = now()
                WHERE id = (SELECT max(id) FROM delivery.due)
                """)
            let batch = try await outbox.claim(100)
            #expect(batch.claims.count == 100)
            #expect(batch.places.contains { $0.share == Int(other) })
        }
    }

    @Test func `a floor hides what is due before it`() async throws {
        try await OutboxFixture.with { outbox in
            try await outbox.commit()
            let later = Int64(4_000_000_000_000_000)
            let hidden = try await Claimed(
                outbox.store.claimHints(
                    outbox.apns, atMost: 10, floors: [Int64](repeating: later, count: 64), proof: OutboxFixture.noProof)
            )
            #expect(hidden.touched == 0)
            #expect(try await outbox.claim().touched == 1)
        }
    }

    @Test func `two claims at once share nothing`() async throws {
        try await OutboxFixture.with { outbox in
            try await outbox.commit(40)
            async let first = outbox.claim(30)
            async let second = outbox.claim(30)
            let (left, right) = try await (first, second)
            let ids = (left.claims + right.claims).map(\.lease.id)
            #expect(Set(ids).count == ids.count)
            #expect(ids.count >= 30)
        }
    }

    @Test func `a claim tells of how many rows the last lease had ended`() async throws {
        try await OutboxFixture.with(devices: 3) { outbox in
            try await outbox.commit()
            #expect(try await outbox.claim(2).answer.lapsed == 0)
            try await outbox.lapse()
            #expect(try await outbox.claim().answer.lapsed == 2)
        }
    }
}
