import Delivery
import LocalStack
import Messages
import Postgres
import TestSupport
import Testing

/// The operators' commands as the program that runs in production.
@Suite(.serialized, .timeLimit(.minutes(5)))
struct OperatorCommandTests {
    /// A database with one route and two deferred hints, and a broker with the route's queue.
    private struct Site {
        let scratch: ScratchDatabase
        let host: ScratchVirtualHost
        let admin: Database
        let job: Identifier

        static let route = Route(provider: .apns, environment: "production", app: "cheqi")

        static func with(_ body: (Site) async throws -> Void) async throws {
            try await withScratchDatabase { scratch in
                try await withScratchVirtualHost(routes: [route.queue]) { host in
                    let admin = Database(try scratch.settings, connections: 1)
                    try await admin.execute(
                        "SELECT delivery.add_route(\(route.provider.rawValue), \(route.environment), \(route.app))")
                    let account = try await SampleAccount.make(devices: 2, in: admin)
                    for device in account.devices { try await account.addToken(to: device, route: route, in: admin) }
                    let job = try await account.commit(in: admin)
                    try await admin.execute(
                        """
                        UPDATE delivery.due
                        SET due_at = now() + interval '1 hour', last_error = 'deferred 503 ServiceUnavailable'
                        """)
                    let site = Site(scratch: scratch, host: host, admin: admin, job: job)
                    do {
                        try await body(site)
                    } catch {
                        await admin.close()
                        throw error
                    }
                    await admin.close()
                }
            }
        }

        func run(
            _ arguments: [String], role: String = "md_operator", settings: [String: String] = [:]
        ) async throws -> ProgramRun {
            var environment = [
                "DATABASE_URL": scratch.url(as: role), "AMQP_URL": host.amqpURL,
                "MOBILE_DELIVERY_OPERATOR": "anna@test",
                "MOBILE_DELIVERY_OUTBOX_COUNT_EVERY": "0",
                // A busy machine is no reason to go without the broker here.
                "MOBILE_DELIVERY_OPERATOR_BROKER_TIMEOUT": "30s",
            ]
            environment.merge(settings) { _, own in own }
            return try await ProgramRun.of(
                try ProgramRun.programs().mobileDelivery, arguments, environment: environment, within: .seconds(60))
        }

        func json(_ arguments: [String]) async throws -> JSONValue {
            let run = try await run(arguments + ["--json"])
            #expect(run.complaints == [])
            return try JSONValue(parsing: Array(run.output.utf8))
        }
    }

    @Test func `status shows routes, reasons, queues and services, in 80 columns and without colour`() async throws {
        try await Site.with { site in
            let run = try await site.run(["status"])
            #expect(run.termination == .exited(0) && run.complaints == [])
            #expect(run.output.contains("\napns.production.cheqi    0       0         0       0         2"))
            #expect(run.output.contains("apns.production.cheqi: deferred 503 ServiceUnavailable     2"))
            #expect(run.output.contains("\nhints.apns.production.cheqi      0          0\n"))
            #expect(run.output.contains("\ndatabase connections: coordinator 0, gateway 0, recorder 0, relay 0\n"))
            #expect(run.output.split(separator: "\n").allSatisfy { $0.count <= 80 } && !run.output.contains("\u{1B}"))
            let json = try await site.json(["status"])
            #expect(json["routes"]?.array?.last?["deferred"]?.integer == 2)
            #expect(json["broker"]?["answered"]?.bool == true)
        }
    }

    @Test func `status goes without a broker, and says so`() async throws {
        try await Site.with { site in
            let unset = try await site.run(["status"], settings: ["AMQP_URL": ""])
            #expect(unset.termination == .exited(0) && unset.output.contains("broker: not asked: AMQP_URL is not set"))
            let away = try await site.run(["status"], settings: ["AMQP_URL": "amqp://guest:secret@127.0.0.1:1/x"])
            #expect(away.termination == .exited(0) && away.output.contains("\nbroker: no answer: "))
            #expect(!away.output.contains("secret"))
        }
    }

    @Test func `a pause, a look at a job, a change and its audit`() async throws {
        try await Site.with { site in
            let pause = try await site.run(["route", "pause", "apns.production.cheqi", "--reason", "maintenance"])
            #expect(pause.output.hasPrefix("apns.production.cheqi: now paused by hand\n"))
            let list = try await site.run(["route", "list"])
            #expect(list.output.contains("paused by hand") && list.output.contains("by anna@test: maintenance"))
            let show = try await site.run(["outbox", "show", site.job.description])
            let words = show.output.split(whereSeparator: \.isWhitespace).joined(separator: " ")
            #expect(words.contains("pending, deferred, until ") && words.contains("paused by hand by anna@test"))
            let look = try await site.json(["outbox", "retry-now", "--dry-run"])
            #expect(look["preview"]?["rows"]?.integer == 2 && look["changed"] == nil)
            let change = try await site.json(["outbox", "retry-now", "--reason", "deferred 503"])
            #expect(change["changed"]?.integer == 2 && change["interrupted"]?.bool == false)
            _ = try await site.run(["route", "resume", "all"])
            let after = try await site.json(["outbox", "show", site.job.description])
            #expect(after["entries"]?.array?.first?["due"]?["phase"]?.string == "due")
            #expect(
                after["audit"]?.array?.compactMap { $0["action"]?.string }
                    == ["route pause", "outbox retry-now", "route resume"])
        }
    }

    @Test func `expire asks, refuses while relays are connected, and ends what was committed before`() async throws {
        try await Site.with { site in
            let instant: String = try await site.admin.query(
                "SELECT to_char(clock_timestamp() AT TIME ZONE 'UTC', 'YYYY-MM-DD\"T\"HH24:MI:SS.US\"Z\"') AS t"
            ).one()["t"]
            let expire = ["outbox", "expire", "--committed-before", instant]
            let unasked = try await site.run(expire)
            #expect(unasked.termination == .exited(64) && unasked.complaints.first?.contains("add --yes") == true)
            let relay = try await Connection.open(try site.scratch.settings(as: "md_relay"))
            let refused = try await site.run(expire + ["--yes"])
            #expect(
                refused.termination == .exited(1) && refused.complaints.first?.contains("stop the relays first") == true
            )
            let told = try await site.run(expire + ["--dry-run", "--with-relays-connected"])
            #expect(told.termination == .exited(0) && told.output.contains("would end 2 hints without a push"))
            await relay.close()
            let gone = try await eventually {
                try await site.admin.query(
                    "SELECT FROM pg_stat_activity WHERE usename = 'md_relay' AND datname = current_database()"
                )
                .isEmpty
            }
            #expect(gone)
            let done = try await site.run(expire + ["--yes"])
            #expect(done.termination == .exited(0) && done.output.contains("ended 2 hints without a push; line "))
            let future = try await site.run(["outbox", "expire", "--committed-before", "2999-01-01T00:00:00Z", "--yes"])
            #expect(
                future.termination == .exited(64) && future.complaints.first?.contains("lies in the future") == true)
        }
    }

    @Test(arguments: [
        (["outbox", "show", "x"], 64, "'x' is no id"),
        (["outbox", "show", "5e1f0c3a-7d2b-4c4e-9a6f-0123456789ab"], 65, "no job"),
        (["outbox", "show"], 64, "needs <JOB or ENTRY>"),
        (["outbox", "retry-now", "--job", "1"], 64, "must be a UUID"),
        (["outbox", "retry-now", "--route", "fcm.x", "--yes"], 65, "there is no route fcm.x"),
        (["outbox", "expire"], 64, "needs --committed-before"),
        (["outbox", "expire", "--committed-before", "2026-12-01T03:00"], 64, "with its zone"),
        (["outbox", "resend", "--since", "yesterday"], 64, "with its zone"),
        (["route", "pause", "fcm.x", "--reason", "r"], 65, "there is no route fcm.x"),
        (["route", "pause", "fcm.x"], 64, "needs --reason"), (["status", "--every", "0"], 64, "from 100ms on"),
        (["outbox", "forget"], 64, "unknown command 'outbox forget'"),
    ])
    func `a wrong argument is one clear line`(_ arguments: [String], _ status: Int32, _ words: String) async throws {
        try await Site.with { site in
            let run = try await site.run(arguments)
            #expect(run.termination == .exited(status), "\(run.complaints)")
            #expect(run.complaints.count == 1 && run.complaints[0].contains(words), "\(run.complaints)")
        }
    }

    @Test func `another role is told which one it takes`() async throws {
        try await Site.with { site in
            let run = try await site.run(["outbox", "retry-now", "--dry-run"], role: "md_gateway")
            #expect(run.termination == .exited(77) && run.complaints.count == 1)
            #expect(run.complaints.first?.contains("DATABASE_URL must be that of role md_operator") == true)
        }
    }

    @Test func `more rows than the limit need a word`() async throws {
        try await Site.with { site in
            let run = try await site.run(["outbox", "retry-now"], settings: ["MOBILE_DELIVERY_CONFIRM_ABOVE": "1"])
            #expect(run.termination == .exited(64) && run.complaints.first?.contains("this changes 2 hints") == true)
            let few = try await site.run(["outbox", "retry-now"], settings: ["MOBILE_DELIVERY_CONFIRM_ABOVE": "2"])
            #expect(few.termination == .exited(0) && few.output.contains("made 2 hints due now; line "))
        }
    }
}
