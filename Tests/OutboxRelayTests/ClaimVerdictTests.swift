import AMQP
import Delivery
import Postgres
import TestSupport
import Testing

@testable import OutboxRelay

/// What a claim does to a row that must not be published (states.md, a).
@Suite(.timeLimit(.minutes(2)))
struct ClaimVerdictTests {
    struct Ending: Sendable {
        let cause: String
        let sql: String
        let verdict: String
        let state: String
        var reason = ""
        var letters: [String] = []
    }

    @Test(arguments: [
        Ending(
            cause: "the device acknowledged", sql: "UPDATE delivery.job_device SET state = 'acknowledged'",
            verdict: "superseded", state: "superseded"),
        Ending(
            cause: "the device gave up", sql: "UPDATE delivery.job_device SET state = 'failed'", verdict: "superseded",
            state: "superseded"),
        Ending(
            cause: "the job was cancelled", sql: "UPDATE delivery.generation_job SET cancelled_at = now()",
            verdict: "cancelled", state: "cancelled"),
        Ending(
            cause: "the device was revoked",
            sql: "UPDATE delivery.device SET state = 'revoked', revoked_at = now()", verdict: "cancelled",
            state: "cancelled"),
        Ending(
            cause: "the job is past its expiry",
            sql: "UPDATE delivery.generation_job SET expires_at = now() - interval '1 second'", verdict: "expired",
            state: "expired"),
        Ending(
            cause: "the token is gone", sql: "UPDATE delivery.push_token SET state = 'cleared'", verdict: "no_token",
            state: "no_token"),
        Ending(
            cause: "the eighth crash",
            sql: "UPDATE delivery.due SET crashes = 7, lease_token = 0, lease_until = now() - interval '1 second'",
            verdict: "buried", state: "failed", reason: "buried", letters: ["outbox buried: crashes hint.v1"]),
        Ending(
            cause: "the tenth silence",
            sql: """
                UPDATE delivery.due SET silences = 9, lease_token = 0, published_at = now() - interval '1 hour',
                                        lease_until = now() - interval '1 second'
                """,
            verdict: "silent", state: "failed", reason: "silent", letters: ["outbox silent hint.v1"]),
        Ending(
            cause: "a row it leans on is gone", sql: "DELETE FROM delivery.job_device", verdict: "missing",
            state: "failed", reason: "buried", letters: ["outbox buried: body missing hint.v1"]),
    ])
    func `a claim ends what must not be published`(_ ending: Ending) async throws {
        try await OutboxFixture.with { outbox in
            try await outbox.commit()
            try await outbox.admin.execute("UPDATE delivery.due SET seq = 4, failures = 2")
            try await outbox.admin.script(ending.sql)
            let always = RelayRepublishProof(
                proven: 4_000_000_000_000_000, recorded: 4_000_000_000_000_000, stale: nil)
            let batch = try await outbox.claim(proof: always)
            #expect(batch.claims.isEmpty && batch.others == [ending.verdict: 1], "\(ending.cause)")
            let entry = try await outbox.entry()
            #expect(entry.state == ending.state && entry.reason == ending.reason && entry.seq == 4, "\(ending.cause)")
            #expect(try await outbox.due() == nil)
            #expect(try await outbox.deadLetters() == ending.letters)
        }
    }

    @Test func `a due row whose entry has ended leaves`() async throws {
        try await OutboxFixture.with { outbox in
            try await outbox.commit()
            try await outbox.admin.execute("UPDATE delivery.push_outbox SET state = 'accepted'")
            #expect(try await outbox.claim().others == ["ended": 1])
            #expect(try await outbox.due() == nil)
            #expect(try await outbox.entry().state == "accepted")
        }
    }

    @Test func `a token of another route takes the row with it`() async throws {
        try await OutboxFixture.with { outbox in
            try await outbox.commit()
            try await outbox.admin.execute(
                "UPDATE delivery.push_token SET provider = 'fcm', environment = '', kind = 'token'")
            #expect(try await outbox.claim().others == ["moved": 1])
            let row = try #require(try await outbox.due())
            #expect(row.route == outbox.fcm.number && row.isDue && !row.isLeased && row.seq == 0)
            let there = try await Claimed(
                outbox.store.claimHints(
                    outbox.fcm, atMost: 1, floors: OutboxFixture.noFloors, proof: OutboxFixture.noProof))
            #expect(there.claims.first?.message.routingKey == "hints.fcm.cheqi")
        }
    }

    @Test func `a set-aside token defers its entries to the judgement`() async throws {
        try await OutboxFixture.with { outbox in
            try await outbox.commit()
            try await outbox.admin.execute(
                "UPDATE delivery.push_token SET state = 'set_aside', judge_at = now() + interval '90 seconds'")
            #expect(try await outbox.claim().others == ["deferred": 1])
            let row = try #require(try await outbox.due())
            #expect((80...90).contains(row.dueIn) && !row.isLeased && row.seq == 0)
        }
    }

    @Test func `a set-aside token on trial is published to`() async throws {
        try await OutboxFixture.with { outbox in
            try await outbox.commit()
            try await outbox.admin.execute(
                """
                UPDATE delivery.push_token SET state = 'set_aside', judge_at = now() + interval '90 seconds',
                                               trial_until = now() + interval '1 minute'
                """)
            #expect(try await outbox.claim().claims.count == 1)
        }
    }

    @Test func `a cooling device is left alone until its time, but not past the job's expiry`() async throws {
        try await OutboxFixture.with { outbox in
            try await outbox.commit()
            try await outbox.admin.execute("UPDATE delivery.push_token SET not_before = now() + interval '1 day'")
            #expect(try await outbox.claim().others == ["deferred": 1])
            let row = try #require(try await outbox.due())
            #expect((3500...3600).contains(row.dueIn))
        }
    }

    @Test func `what ends beside others does not hinder them`() async throws {
        try await OutboxFixture.with(devices: 2) { outbox in
            try await outbox.commit()
            try await outbox.admin.execute(
                "UPDATE delivery.job_device SET state = 'acknowledged' WHERE device_id = \(outbox.account.devices[0])")
            let batch = try await outbox.claim()
            #expect(batch.claims.count == 1 && batch.others == ["superseded": 1])
        }
    }
}
