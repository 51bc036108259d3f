import AMQP
import Delivery
import Postgres
import TestSupport
import Testing

@testable import Operations

/// `status` against a real database and broker.
@Suite(.serialized, .timeLimit(.minutes(5)))
struct StatusReadingTests {
    private func read(_ fixture: OperatorFixture, every: Duration = .zero) async throws -> OutboxStatus {
        try await StatusReading(fixture.database, countEvery: every).read()
    }

    @Test func `every pending hint is in one column, every pause beside its route`() async throws {
        try await OperatorFixture.with(devices: 2) { fixture in
            try await fixture.commit(5)
            let ids: [Int64] = try await fixture.admin.query("SELECT id FROM delivery.due WHERE route = 1 ORDER BY id")
                .map { row in try row["id"] }
            try await fixture.deferAll("deferred 503 ServiceUnavailable", where: "id = \(ids[0])")
            try await fixture.leaseAll(confirmed: false, where: "id = \(ids[1])")
            try await fixture.leaseAll(confirmed: true, where: "id = \(ids[2])")
            try await fixture.leaseAll(confirmed: true, where: "id = \(ids[3])")
            try await fixture.admin.execute(
                "UPDATE delivery.due SET lease_until = now() - interval '1 s' WHERE id = \(ids[3])")
            try await fixture.admin.execute(
                "UPDATE delivery.route_state SET seen_paused = true, seen_reason = 'credentials' WHERE route = 1")
            try await fixture.admin.execute(
                """
                INSERT INTO delivery.route_window (route, instance, minute, answers, acceptances)
                VALUES (1, 's', date_trunc('minute', now()), 700, 600)
                """)
            try await fixture.admin.execute(
                """
                INSERT INTO delivery.dead_letter (queue, message_id, reason)
                VALUES ('hints.apns.dead', '1', 'exhausted'), ('hints.apns.dead', '2', 'token')
                """)
            let status = try await read(fixture)
            #expect(status.lines.map(\.name) == ["events", "apns.production.cheqi", "fcm.cheqi"])
            let line = status.lines[1]
            #expect([line.due, line.leased, line.awaiting, line.lapsed, line.deferred] == [1, 1, 1, 1, 1])
            #expect(status.lines[2].due == 5 && status.lines[2].oldestAge.map { $0 >= .zero } == true)
            #expect(line.deferrals.map(\.reason) == ["deferred 503 ServiceUnavailable"])
            #expect(line.seen.isPaused && line.seen.reason == "credentials" && !line.hand.isPaused)
            #expect((5.0...10.1).contains(line.acceptedRate))
            #expect(status.leases.map { $0.leased + $0.awaiting }.reduce(0, +) == 2)
            #expect(status.deadLetters.map { [$0.open, $0.uninstalled] } == [[1, 1]])
            #expect(status.sessions.map(\.service) == ["coordinator", "gateway", "recorder", "relay"])
            #expect(status.health.partitions == 8 && !status.health.hasStrayRows)
        }
    }

    @Test func `counts are shared for a while and shown with their age`() async throws {
        try await OperatorFixture.with { fixture in
            _ = try await read(fixture)
            try await fixture.commit()
            try await fixture.admin.execute("UPDATE delivery.census SET counted_at = counted_at - interval '7 s'")
            let shared = try await read(fixture, every: .seconds(10))
            #expect(shared.lines.map(\.due).reduce(0, +) == 0 && shared.countAge >= .seconds(7))
            let anew = try await read(fixture, every: .seconds(5))
            #expect(anew.lines.map(\.due).reduce(0, +) == 2 && anew.countAge < .seconds(7))
        }
    }

    @Test func `of many reasons the most frequent keep their name`() async throws {
        try await OperatorFixture.with(devices: 2) { fixture in
            try await fixture.commit(30)
            try await fixture.admin.execute(
                "UPDATE delivery.due SET due_at = now() + interval '1 h', last_error = 'reason ' || id WHERE route = 1")
            let reasons = try await read(fixture).lines[1].deferrals
            #expect(reasons.count == 21 && reasons.map(\.rows).reduce(0, +) == 30)
            #expect(reasons.contains { $0.reason == "other reasons" && $0.rows == 10 })
        }
    }

    @Test func `the broker is asked for its counts, and a queue that is missing is called so`() async throws {
        let queue = OperatorFixture.apns.queue
        try await withScratchVirtualHost(routes: [queue]) { host in
            let broker = BrokerQuestions(try AMQP.ConnectionSettings(url: host.amqpURL), limit: .seconds(30))
            let answer = await broker.ask([queue, "recorder.outcomes", "nowhere"])
            #expect(answer.fault == nil)
            #expect(answer[queue] == .counts(QueueCounts(ready: 0, consumers: 0)) && answer["nowhere"] == .missing)
            #expect(answer["recorder.outcomes"].counts != nil && answer["unasked"] == .unknown)
            await broker.close()
        }
    }

    @Test func `a broker that is away is no reason not to show the rest`() async throws {
        let broker = BrokerQuestions(try AMQP.ConnectionSettings(url: "amqp://guest@127.0.0.1:1/x"), limit: .seconds(2))
        let answer = await broker.ask(["recorder.outcomes"])
        #expect(answer.fault?.hasPrefix("no answer: ") == true && answer["recorder.outcomes"] == .unknown)
    }
}
