import Delivery
import Postgres
import TestSupport

@testable import Operations

/// A scratch database with an account, two routes and jobs, seen by an operator.
struct OperatorFixture {
    let scratch: ScratchDatabase
    /// As superuser.
    let admin: Database
    /// As `md_operator`.
    let database: Database
    let account: SampleAccount

    static let apns = Route(provider: .apns, environment: "production", app: "cheqi")
    static let fcm = Route(provider: .fcm, environment: "", app: "cheqi")

    /// Half of the account's devices have an APNs token, the others one of FCM.
    static func with(devices: Int = 2, _ body: (OperatorFixture) async throws -> Void) async throws {
        try await withScratchDatabase { scratch in
            let admin = Database(try scratch.settings, connections: 2)
            let database = Database(try scratch.settings(as: "md_operator"), connections: 1)
            for route in [apns, fcm] {
                try await admin.execute(
                    "SELECT delivery.add_route(\(route.provider.rawValue), \(route.environment), \(route.app))")
            }
            let account = try await SampleAccount.make(devices: devices, in: admin)
            for (index, device) in account.devices.enumerated() {
                try await account.addToken(to: device, route: index % 2 == 0 ? apns : fcm, in: admin)
            }
            let fixture = OperatorFixture(scratch: scratch, admin: admin, database: database, account: account)
            do {
                try await body(fixture)
            } catch {
                await admin.close()
                await database.close()
                throw error
            }
            await admin.close()
            await database.close()
        }
    }

    var site: ChangeSite { ChangeSite(database, actor: "anna@test", batch: 3) }

    /// Commits jobs, each with an entry for every device.
    @discardableResult
    func commit(_ count: Int = 1) async throws -> [Identifier] {
        var jobs: [Identifier] = []
        for _ in 0..<count { jobs.append(try await account.commit(in: admin)) }
        return jobs
    }

    /// Puts every row off for an hour, for a reason.
    func deferAll(_ reason: String, where condition: String = "true") async throws {
        try await admin.execute(
            """
            UPDATE delivery.due SET due_at = now() + interval '1 hour', last_error = \(reason)
            WHERE \(unescaped: condition)
            """)
    }

    /// Leases every row as a relay does, confirmed or not.
    func leaseAll(confirmed: Bool, owner: Identifier = .random(), where condition: String = "true") async throws {
        try await admin.execute(
            """
            UPDATE delivery.due SET lease_token = nextval('delivery.lease_token'), lease_owner = \(owner),
                   lease_until = now() + interval '2 minutes', seq = seq + 1,
                   published_at = CASE WHEN \(confirmed) THEN now() END
            WHERE \(unescaped: condition)
            """)
    }

    func due(_ condition: String = "true") async throws -> Int {
        try await admin.query("SELECT count(*) AS n FROM delivery.due WHERE \(unescaped: condition)").one()["n"]
    }

    func entries(_ condition: String) async throws -> Int {
        try await admin.query("SELECT count(*) AS n FROM delivery.push_outbox WHERE \(unescaped: condition)").one()["n"]
    }

    /// The only column of the answer.
    func identifiers(_ sql: String) async throws -> Set<Identifier> {
        Set(try await admin.query("\(unescaped: sql)").map { row in try row.only() })
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
