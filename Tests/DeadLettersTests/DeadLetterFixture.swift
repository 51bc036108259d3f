import AMQP
import Daemon
import Delivery
import Operations
import Postgres
import TestSupport

@testable import DeadLetters

/// A scratch database with an account on two routes and hints that failed, seen by an operator.
struct DeadLetterFixture {
    /// As superuser.
    let admin: Database
    /// As `md_operator`.
    let database: Database
    let account: SampleAccount
    /// Of `database`.
    let settings: Postgres.ConnectionSettings
    /// What the run knows of a broker.
    var broker: AMQP.ConnectionSettings?

    static let apns = Route(provider: .apns, environment: "production", app: "cheqi")
    static let fcm = Route(provider: .fcm, environment: "", app: "cheqi")

    var index: DeadLetterIndex { DeadLetterIndex(database) }
    var run: DeadLetterRun { DeadLetterRun(ChangeSite(database, actor: "anna@test", batch: 3), broker: broker) }

    /// The first device has an APNs token, the second one of FCM.
    static func with(_ body: (DeadLetterFixture) async throws -> Void) async throws {
        try await withScratchDatabase { scratch in
            let admin = Database(try scratch.settings, connections: 2)
            let database = Database(try scratch.settings(as: "md_operator"), connections: 1)
            for route in [apns, fcm] {
                try await admin.execute(
                    "SELECT delivery.add_route(\(route.provider.rawValue), \(route.environment), \(route.app))")
            }
            let account = try await SampleAccount.make(devices: 2, in: admin)
            for (device, route) in zip(account.devices, [apns, fcm]) {
                try await account.addToken(to: device, route: route, in: admin)
            }
            do {
                try await body(
                    DeadLetterFixture(
                        admin: admin, database: database, account: account,
                        settings: try scratch.settings(as: "md_operator")))
            } catch {
                await admin.close()
                await database.close()
                throw error
            }
            await admin.close()
            await database.close()
        }
    }

    /// Commits jobs and fails every hint that is due, as the recorder does; the index gets what it would from `dead.index`.
    func fail(_ jobs: Int, _ reason: String = "exhausted") async throws {
        for _ in 0..<jobs { _ = try await account.commit(in: admin) }
        try await failAll(reason)
    }

    func failAll(_ reason: String) async throws {
        try await admin.execute("UPDATE delivery.due SET seq = seq + 1, failures = 20 WHERE route > 0")
        try await admin.execute(
            "SELECT delivery.fail_hint(id, \(reason), 503, 'said') FROM delivery.due WHERE route > 0")
        try await index(queue: nil)
    }

    /// What `hint.dead.v1` events say becomes letters, each once a queue, or all once more under another name of a queue.
    func index(queue: String?) async throws {
        try await admin.execute(
            """
            SELECT delivery.record_dead_letters(
                       ARRAY[coalesce(nullif(\(queue ?? ""), ''), e.routing_key)], ARRAY[e.message_id::text],
                       ARRAY[(e.headers ->> 'md-seq')::integer], ARRAY[e.type], ARRAY[e.headers ->> 'md-reason'],
                       ARRAY[(e.headers ->> 'md-status')::integer], ARRAY[NULL::text],
                       ARRAY[(e.headers ->> 'md-failures')::integer], ARRAY[NULL::bigint], ARRAY[NULL::bigint],
                       ARRAY['hints'], ARRAY[e.headers ->> 'md-key'], ARRAY[NULL::text], ARRAY[p.job_id],
                       ARRAY[p.device_id], ARRAY[p.id])
              FROM delivery.event_outbox e JOIN delivery.push_outbox p ON p.id = e.message_id
             WHERE e.type = 'hint.dead.v1'
            """)
    }

    func count(_ query: String) async throws -> Int {
        try await admin.query("SELECT count(*) AS n FROM \(unescaped: query)").one()["n"]
    }

    func replay(_ change: (inout DeadLetterFilter) -> Void = { _ in }) async throws -> DeadLetterRun.Result {
        var filter = DeadLetterFilter()
        change(&filter)
        return try await run.run(.replay, filter, reason: "mended", rate: nil, until: Shutdown())
    }

    /// `actor action subject result rows`, oldest first.
    func audit() async throws -> [String] {
        try await admin.query(
            """
            SELECT concat_ws(' ', actor, action, subject, detail ->> 'result', detail ->> 'rows') AS line
            FROM delivery.audit ORDER BY audit_id
            """
        ).map { row in try row["line"] }
    }
}
