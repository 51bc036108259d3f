import AMQP
import Daemon
import Delivery
import OutboxRelay
import Postgres
import TestSupport
import Testing

@testable import Operations

/// Pauses by hand, and what a real relay makes of them.
@Suite(.serialized, .timeLimit(.minutes(5)))
struct RouteSwitchTests {
    @Test func `only the hand half changes, once, and every word is in the audit`() async throws {
        try await OperatorFixture.with { fixture in
            try await fixture.admin.execute(
                "UPDATE delivery.route_state SET seen_paused = true, seen_reason = 'credentials'")
            let routes = RouteSwitch(fixture.database, actor: "anna@test")
            let first = try await routes.set("fcm.cheqi", paused: true, reason: "maintenance")
            let again = try await routes.set("fcm.cheqi", paused: true, reason: "again")
            #expect(first == [RouteSwitch.Change(route: "fcm.cheqi", changed: true)] && again[0].changed == false)
            let line = try await StatusReading(fixture.database, countEvery: .zero).read().lines[2]
            #expect(line.hand.isPaused && line.hand.by == "anna@test" && line.hand.reason == "maintenance")
            #expect(line.seen.isPaused && line.seen.reason == "credentials")
            #expect(try await routes.set("all", paused: false, reason: nil).map(\.changed) == [false, true])
            let open = try await StatusReading(fixture.database, countEvery: .zero).read().lines[2]
            #expect(!open.hand.isPaused && open.seen.isPaused)
            #expect(
                try await fixture.audit() == [
                    "anna@test route pause fcm.cheqi done", "anna@test route pause fcm.cheqi unchanged",
                    "anna@test route resume apns.production.cheqi unchanged", "anna@test route resume fcm.cheqi done",
                ])
        }
    }

    @Test func `events and unknown names are no routes`() async throws {
        try await OperatorFixture.with { fixture in
            for name in ["events", "fcm.chequi", ""] {
                let failure = await #expect(throws: CommandFailure.self) {
                    try await RouteSwitch(fixture.database, actor: "a").set(name, paused: true, reason: "b")
                }
                #expect(failure?.status == .dataError)
            }
        }
    }

    @Test func `a pause holds the relay back and a resume lets it go`() async throws {
        try await RunningSite.with { site in
            let routes = RouteSwitch(site.fixture.database, actor: "anna@test")
            try await site.withRelay { relay in
                try await site.fixture.commit()
                let isAtWork = try await site.comes(to: 1, publishedOf: OperatorFixture.apns)
                _ = try await routes.set("apns.production.cheqi", paused: true, reason: "test")
                let isPaused = try await eventually { relay.isPaused("apns.production.cheqi") }
                #expect(isAtWork && isPaused)
                // A claim that began before the pause may still take this one; it has ended when the other route's is out.
                try await site.fixture.commit()
                #expect(try await site.comes(to: 2, publishedOf: OperatorFixture.fcm))
                let held = try await site.fixture.due("route = 1 AND seq = 0")
                try await site.fixture.commit(3)
                // The other route shows that the relay goes on.
                #expect(try await site.comes(to: 5, publishedOf: OperatorFixture.fcm))
                #expect(try await site.fixture.due("route = 1 AND seq = 0") == held + 3)
                let began = ContinuousClock.now
                _ = try await routes.set("apns.production.cheqi", paused: false, reason: nil)
                #expect(try await site.comes(to: 5, publishedOf: OperatorFixture.apns))
                #expect(ContinuousClock.now - began < .seconds(10))
            }
        }
    }
}
