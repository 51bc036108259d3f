import Daemon
import Operations
import Postgres
import TestSupport
import Testing

@testable import DeadLetters

/// `dead history`.
@Suite(.timeLimit(.minutes(2))) struct DeadLetterHistoryTests {
    @Test func `a run whose connection is gone without a word is said to have died`() async throws {
        try await DeadLetterFixture.with { fixture in
            try await fixture.fail(1)
            let own = Database(fixture.settings, connections: 1)
            let change = try await ChangeSite(own, actor: "anna@test").begin(
                "dead replay", subject: "all", filter: "{}")
            let letters: [Int64] = try await fixture.admin.query(
                "SELECT array_agg(dead_letter_id) AS ids FROM delivery.dead_letter"
            ).one()["ids"]
            try await own.execute("SELECT * FROM delivery.replay_letters(\(change), \(letters))")
            func line() async throws -> String {
                try await DeadLetterHistory.read(from: fixture.database, atMost: 1).text()
            }
            #expect(try await line().contains("dead replay all: running, 2 letters"))
            await own.close()
            let hasDied = try await eventually {
                try await line().contains("dead replay all: died on the way (run it again for the rest), 2 letters")
            }
            #expect(hasDied)
        }
    }

    @Test func `a run that only skipped says what and why`() async throws {
        try await DeadLetterFixture.with { fixture in
            try await fixture.fail(1)
            try await fixture.admin.execute("UPDATE delivery.generation_job SET cancelled_at = now()")
            _ = try await fixture.replay()
            let text = try await DeadLetterHistory.read(from: fixture.database, atMost: 1).text()
            #expect(text.contains("dead replay all: mended: done, skipped: 2 cancelled"))
        }
    }

    @Test func `counts are shared and tell their age`() async throws {
        try await DeadLetterFixture.with { fixture in
            try await fixture.fail(1)
            #expect(try await fixture.index.summary(countEvery: .seconds(60)).reasons.first?.letters == 2)
            try await fixture.fail(1)
            let old = try await fixture.index.summary(countEvery: .seconds(60))
            #expect(old.reasons.first?.letters == 2 && old.age > .zero)
            #expect(try await fixture.index.summary().reasons.first?.letters == 4)
            #expect(DeadLetterList(old, DeadLetterFilter(), []).text(style: .plain).contains(", counted 0s ago"))
        }
    }

    /// What `dead list` would otherwise walk a million letters for.
    @Test(arguments: [
        ("since", #"{"uninstalled":false,"since":"2026-01-01T00:00:00Z"}"#, "dead_letter_listed_recorded"),
        ("failures", #"{"uninstalled":false,"failures":"3"}"#, "dead_letter_listed_failures"),
    ])
    func `a filter reads the index of its own`(_ name: String, _ filter: String, _ index: String) async throws {
        try await DeadLetterFixture.with { fixture in
            try await fixture.admin.script(
                """
                INSERT INTO delivery.dead_letter (queue, message_id, reason, failures, recorded_at)
                SELECT 'hints.apns.dead', n::text, 'exhausted', n % 5, now() - n * interval '1 minute'
                  FROM generate_series(1, 20000) n;
                ANALYZE delivery.dead_letter
                """, within: .seconds(60))
            func scans() async throws -> Int {
                try await fixture.admin.execute("SELECT pg_stat_force_next_flush()")
                return try await fixture.admin.query(
                    """
                    SELECT idx_scan AS n FROM pg_stat_user_indexes
                     WHERE indexrelid = ('delivery.' || \(index))::regclass
                    """
                ).one()["n"]
            }
            let before = try await scans()
            let ids: [Int64] = try await fixture.admin.query(
                "SELECT delivery.matching_letters(\(filter)::jsonb, 9223372036854775807, 5, true) AS ids"
            ).one()["ids"]
            #expect(ids.count == 5)
            #expect(try await scans() > before)
        }
    }
}
