import Messages
import Testing

@testable import Operations

struct StatusTextTests {
    private let golden = """
        outbox at 2026-12-01 03:12:45Z, counted 4s ago

        route                     due  leased  awaiting  lapsed  deferred  oldest  acc/s
        events                      0       0         0       0         0       -      -
        apns.production.cheqi  1,204k     500       812       0     3,100   3m12s    210
          paused by hand 14m07s ago by anna@ops1: APNs maintenance
          paused by its sender 11m00s ago: credentials (sender-2, last probe 30s ago)
        fcm.cheqi                   0       0         0       3         0      4s    3.3

        deferred because                                              rows  next due
        apns.production.cheqi: deferred 503 ServiceUnavailable       2,900    in 12s
        apns.production.cheqi: its token is set aside or cools down    200  in 1m35s

        queue                          ready  consumers
        hints.apns.production.cheqi    5,000          0
        hints.fcm.cheqi                    0          2
        recorder.outcomes            missing          -

        dead letters: 14 open (hints.apns.dead 12, outbox 2); besides 120 uninstalled
            apps
        leases: 0f0e0d0c-0b0a-4908-8706-050403020100 500 leased 812 awaiting
        database connections: coordinator 0, relay 6
        due: 1,203 dead rows, vacuumed 40s ago
        oldest transaction: 2h01m (postgres psql pid 4711)
        history: 38 days, made until 2026-12-08

        """

    @Test func `a bad night fits into 80 columns`() {
        let text = StatusText.text(StatusSample.night, style: .plain)
        #expect(text == golden)
        #expect(text.split(separator: "\n").allSatisfy { $0.count <= 80 })
    }

    @Test func `without colour nothing differs but the colour`() {
        let coloured = StatusText.text(StatusSample.night, style: Style(isColoured: true))
        var plain = ""
        var rest = coloured[...]
        while let escape = rest.firstIndex(of: "\u{1B}") {
            plain += rest[..<escape]
            rest = rest[escape...].drop { $0 != "m" }.dropFirst()
        }
        #expect(plain + rest == golden)
        #expect(coloured.contains("\u{1B}[31;1mhints.apns.production.cheqi"))
        #expect(coloured.contains("\u{1B}[33m  paused by hand"))
    }

    @Test func `it says when the broker was not asked, or did not answer`() {
        var status = StatusSample.night
        status.broker = .notAsked
        #expect(StatusText.text(status, style: .plain).contains("\nbroker: not asked: AMQP_URL is not set\n"))
        status.broker = BrokerAnswer(fault: "no answer: nobody listens")
        let text = StatusText.text(status, style: .plain)
        #expect(text.contains("\nbroker: no answer: nobody listens\n") && !text.contains("consumers"))
    }

    @Test func `as JSON every number is exact`() throws {
        let json = try JSONValue(parsing: StatusSample.night.json())
        let routes = try #require(json["routes"]?.array)
        #expect(routes.map { $0["route"]?.string } == ["events", "apns.production.cheqi", "fcm.cheqi"])
        #expect(routes[1]["due"]?.integer == 1_204_567 && routes[1]["oldest_age"] == .decimal("192.000"))
        #expect(
            routes[1]["hand"]?["by"]?.string == "anna@ops1" && routes[1]["accepted_per_second"] == .decimal("210.400"))
        #expect(routes[1]["deferrals"]?.array?.first?["rows"]?.integer == 2900)
        #expect(json["broker"]?["answered"]?.bool == true)
        let queues = try #require(json["broker"]?["queues"]?.array)
        #expect(queues[0]["ready"]?.integer == 5000 && queues[2]["exists"]?.bool == false)
        #expect(json["counts"]?["age"] == .decimal("4.000") && json["at"]?.string == "2026-12-01T03:12:45.000Z")
        #expect(json["dead_letters"]?.array?.first?["uninstalled"]?.integer == 120)
        #expect(json["database"]?["oldest_transaction"]?.string == "postgres psql pid 4711")
    }

    @Test func `the list of routes has both halves`() throws {
        let text = StatusSample.night.routeList(style: .plain)
        #expect(
            text == """
                route                  by hand     seen  waiting
                apns.production.cheqi   paused   paused   1,208k
                  paused by hand 14m07s ago by anna@ops1: APNs maintenance
                  paused by its sender 11m00s ago: credentials (sender-2, last probe 30s ago)
                fcm.cheqi                 open  running        3

                """)
        let json = try JSONValue(parsing: StatusSample.night.routeListJSON())
        #expect(json["routes"]?.array?.count == 2)
        #expect(json["routes"]?.array?.first?["seen"]?["instance"]?.string == "sender-2")
    }
}
