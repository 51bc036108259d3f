import Delivery
import Postgres
import TestSupport
import Testing

@testable import Operations

/// `outbox show` against a real database.
@Suite(.serialized, .timeLimit(.minutes(5)))
struct HistoryReadingTests {
    @Test func `a job shows its entries, an entry shows itself`() async throws {
        try await OperatorFixture.with(devices: 3) { fixture in
            let job = try await fixture.commit(2)[0]
            let reading = HistoryReading(fixture.database)
            let history = try #require(try await reading.read(job))
            #expect(history.entries.map(\.device) == fixture.account.devices)
            #expect(
                history.entries.map { $0.due?.route } == [
                    "apns.production.cheqi", "fcm.cheqi", "apns.production.cheqi",
                ])
            #expect(history.entries.allSatisfy { $0.state == "pending" && $0.tokens.count == 1 })
            let one = try #require(try await reading.read(history.entries[1].entry))
            #expect(one.job == job && one.entries.map(\.entry) == [history.entries[1].entry])
            #expect(try await reading.read(.random()) == nil)
        }
    }

    @Test func `leases, failures, dead letters, pauses and the end of an entry are there`() async throws {
        try await OperatorFixture.with(devices: 1) { fixture in
            let job = try await fixture.commit()[0]
            let reading = HistoryReading(fixture.database)
            let owner = Identifier.random()
            try await fixture.leaseAll(confirmed: true, owner: owner)
            try await fixture.admin.execute(
                """
                INSERT INTO delivery.dead_letter (queue, message_id, reason, entry, entry_created_at, repeats)
                SELECT 'outbox', id::text, 'silent', id, created_at, 2 FROM delivery.push_outbox
                """)
            _ = try await RouteSwitch(fixture.database, actor: "anna").set("all", paused: true, reason: "test")
            let entry = try #require(try await reading.read(job)?.entries.first)
            #expect(entry.due?.owner == owner && entry.due?.isLeased == true && entry.counters.seq == 1)
            #expect(
                entry.due?.hand.isPaused == true && entry.due?.hand.by == "anna" && entry.due?.hand.reason == "test")
            #expect(entry.letters.map(\.reason) == ["silent"] && entry.letters[0].repeats == 2)
            try await fixture.admin.execute(
                "SELECT delivery.end_hints(array_agg(id), 'failed', 'silent') FROM delivery.due")
            let ended = try #require(try await reading.read(job)?.entries.first)
            #expect(ended.state == "failed" && ended.reason == "silent" && ended.due == nil && ended.counters.seq == 1)
        }
    }

    @Test func `changes that may have been about it are there, others not`() async throws {
        try await OperatorFixture.with(devices: 1) { fixture in
            let job = try await fixture.commit()[0]
            let site = fixture.site
            for filter in [
                "{}", "{\"route\":\"apns.production.cheqi\"}", "{\"job\":\"\(job)\"}", "{\"route\":\"fcm.cheqi\"}",
                "{\"account\":\"account-2\"}", "{\"device\":\"\(Identifier.random())\"}",
            ] {
                _ = try await site.begin("outbox retry-now", subject: filter, filter: filter)
            }
            _ = try await RouteSwitch(fixture.database, actor: "anna").set("all", paused: true, reason: nil)
            let history = try #require(try await HistoryReading(fixture.database).read(job))
            #expect(
                history.audit.map(\.subject) == [
                    "{}", "{\"route\":\"apns.production.cheqi\"}", "{\"job\":\"\(job)\"}", "apns.production.cheqi",
                ])
        }
    }
}
