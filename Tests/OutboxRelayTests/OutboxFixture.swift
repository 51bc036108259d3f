import Daemon
import Delivery
import Postgres
import Storage
import TestSupport
import Testing

@testable import OutboxRelay

/// A scratch database with one account and two routes, and the relay's statements as its role.
struct OutboxFixture {
    let scratch: ScratchDatabase
    /// As superuser.
    let admin: Database
    /// As `md_relay`.
    let database: Database
    let store: OutboxStore
    let account: SampleAccount
    let apns: OutboxStore.RouteRow
    let fcm: OutboxStore.RouteRow

    static let apnsRoute = Route(provider: .apns, environment: "production", app: "cheqi")
    static let fcmRoute = Route(provider: .fcm, environment: "", app: "cheqi")
    static let noFloors = [Int64](repeating: 0, count: 64)
    private static let farAway: Int64 = 4_000_000_000_000_000
    /// The recorder has written all that there is, and of what was published nothing is proven over.
    static let noProof = RelayRepublishProof(proven: nil, recorded: farAway, stale: nil)

    /// Each of the account's `devices` has an active APNs token.
    static func with(
        devices: Int = 1, tokens: Bool = true, configuration: Configuration = Configuration(),
        _ body: (OutboxFixture) async throws -> Void
    ) async throws {
        try await withScratchDatabase { scratch in
            let admin = Database(try scratch.settings, connections: 1)
            let database = Database(try scratch.settings(as: "md_relay"), connections: 2)
            var numbers: [Int16] = []
            for route in [apnsRoute, fcmRoute] {
                let row = try await admin.query(
                    "SELECT delivery.add_route(\(route.provider.rawValue), \(route.environment), \(route.app)) AS n")
                numbers.append(try row.one()["n"])
            }
            let account = try await SampleAccount.make(devices: devices, in: admin)
            if tokens {
                for device in account.devices { try await account.addToken(to: device, route: apnsRoute, in: admin) }
            }
            let fixture = OutboxFixture(
                scratch: scratch, admin: admin, database: database,
                store: OutboxStore(database: database, configuration: configuration, owner: .random()),
                account: account,
                apns: OutboxStore.RouteRow(number: numbers[0], route: apnsRoute, isPausedByHand: false),
                fcm: OutboxStore.RouteRow(number: numbers[1], route: fcmRoute, isPausedByHand: false))
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

    /// Commits `count` jobs; each has an entry for every device.
    @discardableResult
    func commit(_ count: Int = 1) async throws -> [Identifier] {
        var jobs: [Identifier] = []
        for _ in 0..<count { jobs.append(try await account.commit(in: admin)) }
        return jobs
    }

    func claim(_ limit: Int = 100, proof: RelayRepublishProof = OutboxFixture.noProof) async throws -> Claimed {
        try await Claimed(store.claimHints(apns, atMost: limit, floors: Self.noFloors, proof: proof))
    }

    func claimEvents(_ limit: Int = 100) async throws -> Claimed {
        try await Claimed(store.claimEvents(atMost: limit, floors: Self.noFloors))
    }

    func announce(headers: String = "{}") async throws {
        try await admin.execute(
            """
            SELECT delivery.announce('events', 'job.completed', 'job.completed.v1', NULL, \(headers)::jsonb,
                                     '{"version": 1}', 3::smallint)
            """)
    }

    /// The only row of `due`, as text, or nil if there is none.
    func due() async throws -> DueRow? {
        let rows = try await admin.query(
            """
            SELECT route, seq, crashes::int AS crashes, silences::int AS silences, failures::int AS failures,
                   lease_token IS NOT NULL AS leased, published_at IS NOT NULL AS published, due_at <= now() AS is_due,
                   extract(epoch FROM due_at - now())::float8 AS due_in,
                   coalesce(extract(epoch FROM lease_until - now()), 0)::float8 AS lease_left,
                   coalesce(last_error, '') AS last_error
            FROM delivery.due
            """)
        guard let row = rows.first else { return nil }
        return DueRow(
            route: try row["route"], seq: try row["seq"], crashes: try row["crashes"], silences: try row["silences"],
            isLeased: try row["leased"], isPublished: try row["published"], isDue: try row["is_due"],
            dueIn: try row["due_in"], leaseLeft: try row["lease_left"], lastError: try row["last_error"])
    }

    func entry() async throws -> (state: String, reason: String, seq: Int32) {
        let row = try await admin.query(
            "SELECT state, coalesce(reason, '') AS reason, seq FROM delivery.push_outbox"
        ).one()
        return (try row["state"], try row["reason"], try row["seq"])
    }

    func deadLetters() async throws -> [String] {
        var lines: [String] = []
        for row in try await admin.query(
            "SELECT queue || ' ' || reason || ' ' || type AS line FROM delivery.dead_letter ORDER BY dead_letter_id")
        {
            lines.append(try row["line"])
        }
        return lines
    }

    /// Every lease is over since a second.
    func lapse() async throws {
        try await admin.execute(
            "UPDATE delivery.due SET lease_until = now() - interval '1 second' WHERE lease_token IS NOT NULL")
    }
}

struct DueRow: Equatable {
    let route: Int16
    let seq: Int32
    let crashes: Int32
    let silences: Int32
    let isLeased: Bool
    let isPublished: Bool
    let isDue: Bool
    let dueIn: Double
    let leaseLeft: Double
    let lastError: String
}

/// What a claim did, with its messages made.
struct Claimed {
    let answer: ClaimAnswer
    let claims: [Claim]

    init(_ answer: ClaimAnswer) async throws {
        self.answer = answer
        claims = try await answer.read().claims
    }

    var others: [String: Int] { answer.others }
    var touched: Int { answer.touched }
    var places: [(share: Int, dueAt: Int64)] { answer.places }
}
