import Delivery
import Postgres
import TestSupport
import Testing
import Topology

@Suite(.serialized, .timeLimit(.minutes(5)))
struct `Committing a job` {
    private static let route = Route(provider: .apns, environment: "sandbox", app: "cheqi")

    private func withAccount(
        devices: Int = 2, _ body: (SampleAccount, Database) async throws -> Void
    ) async throws {
        try await withScratchDatabase { scratch in
            let database = Database(try scratch.settings, connections: 2)
            try await RouteRows.add([Self.route], to: database)
            try await body(try await SampleAccount.make(devices: devices, in: database), database)
            await database.close()
        }
    }

    private func count(_ table: String, in database: Database) async throws -> Int {
        try await database.query("SELECT count(*) AS count FROM delivery.\(unescaped: table)").one()["count"]
    }

    @Test func `R-03: makes one device row and one entry for each device`() async throws {
        try await withAccount { account, database in
            try await account.commit(in: database)
            #expect(try await count("job_device", in: database) == 2)
            #expect(try await count("push_outbox", in: database) == 2)
        }
    }

    @Test func `makes a due row of its route for a device with a token`() async throws {
        try await withAccount { account, database in
            try await account.addToken(to: account.devices[1], route: Self.route, in: database)
            try await account.commit(in: database)
            let due = try await database.query(
                """
                SELECT d.route, p.device_id::text AS device, d.share = delivery.share_of(\(account.name)) AS shared
                  FROM delivery.due d JOIN delivery.push_outbox p ON p.id = d.entry AND p.created_at = d.created_at
                """
            ).one()
            #expect(try due.get("route", as: Int.self) == 1)
            #expect(try due.get("device", as: String.self) == account.devices[1].description)
            #expect(try due.get("shared", as: Bool.self))
        }
    }

    @Test func `finishes the entry of a device without a token`() async throws {
        try await withAccount { account, database in
            try await account.commit(in: database)
            let states = try await database.query("SELECT DISTINCT state FROM delivery.push_outbox").one()
            #expect(try states.get("state", as: String.self) == "no_token")
            #expect(try await count("due", in: database) == 0)
        }
    }

    @Test func `counts a token that is set aside as a token`() async throws {
        try await withAccount { account, database in
            try await account.addToken(to: account.devices[0], route: Self.route, state: "set_aside", in: database)
            try await account.commit(in: database)
            #expect(try await count("due", in: database) == 1)
        }
    }

    @Test func `makes no due row for a token whose route nobody serves`() async throws {
        try await withAccount { account, database in
            let other = Route(provider: .fcm, environment: "", app: "other")
            try await account.addToken(to: account.devices[0], route: other, in: database)
            try await account.commit(in: database)
            #expect(try await count("due", in: database) == 0)
        }
    }

    @Test(arguments: [([], 0), (["shop-1", "tax"], 1)])
    func `opens a lease only when there are recipients`(recipients: [String], leases: Int) async throws {
        try await withAccount { account, database in
            try await account.commit(arguments: CommitArguments { $0.recipients = recipients }, in: database)
            #expect(try await count("fanout_lease", in: database) == leases)
        }
    }

    @Test func `again with the same digest changes nothing`() async throws {
        try await withAccount { account, database in
            let job = try await account.commit(in: database)
            try await account.commit(job, in: database)
            #expect(try await count("job_device", in: database) == 2)
        }
    }

    @Test func `again is accepted although the device set has moved on`() async throws {
        try await withAccount { account, database in
            let job = try await account.commit(in: database)
            try await database.execute("UPDATE delivery.account SET device_set_version = 99")
            try await account.commit(job, in: database)
            #expect(try await count("generation_job", in: database) == 1)
        }
    }

    @Test func `needs no right but EXECUTE`() async throws {
        try await withScratchDatabase { scratch in
            let database = Database(try scratch.settings, connections: 1)
            let account = try await SampleAccount.make(devices: 1, in: database)
            let producer = Database(try scratch.settings(as: "md_producer"), connections: 1)
            try await account.commit(in: producer)
            let failure = await #expect(throws: PostgresError.self) {
                try await producer.execute("SELECT FROM delivery.generation_job")
            }
            #expect(failure?.kind == .missingRight)
            await producer.close()
            await database.close()
        }
    }

    @Test func `by two sessions at once with the same id makes one job`() async throws {
        try await withAccount { account, database in
            let job = Identifier.random()
            async let first = account.commit(job, in: database)
            async let second = account.commit(job, in: database)
            _ = try await (first, second)
            #expect(try await count("job_device", in: database) == 2)
        }
    }

    @Test(arguments: Refusal.all)
    func `is refused`(refusal: Refusal) async throws {
        try await withAccount { account, database in
            let job = try await account.commit(in: database)
            let failure = await #expect(throws: PostgresError.self) {
                let repeats = refusal.state == "MD001"
                try await account.commit(
                    repeats ? job : .random(), arguments: refusal.arguments(account), in: database)
            }
            #expect(failure?.sqlState == refusal.state)
            #expect(try await count("generation_job", in: database) == 1)
        }
    }

    @Test func `for an account without a device is refused`() async throws {
        try await withAccount(devices: 0) { account, database in
            let failure = await #expect(throws: PostgresError.self) { try await account.commit(in: database) }
            #expect(failure?.sqlState == "MD010")
        }
    }

    @Test(arguments: [
        "6ba7b810-9dad-11d1-80b4-00c04fd430c8", "019073a1-7c00-7000-8000-000000000001",
        "00000000-0000-0000-0000-000000000001",
    ])
    func `R-14: a commit of a job whose id is not random is refused`(id: String) async throws {
        try await withAccount { account, database in
            let job = try #require(Identifier(id))
            let failure = await #expect(throws: PostgresError.self) { try await account.commit(job, in: database) }
            #expect(failure?.sqlState == "MD009")
            #expect(try await count("generation_job", in: database) == 0)
        }
    }

    @Test func `is announced only if the database asks for it`() async throws {
        try await withScratchDatabase { scratch in
            let database = Database(try scratch.settings, connections: 1)
            let account = try await SampleAccount.make(devices: 1, in: database)
            try await account.commit(in: database)
            try await database.execute(
                "ALTER DATABASE \(unescaped: scratch.name) SET mobile_delivery.announce = 'job.committed'")
            let fresh = Database(try scratch.settings, connections: 1)
            let job = try await account.commit(in: fresh)
            let event = try await fresh.query(
                "SELECT type, convert_from(body, 'UTF8') AS body FROM delivery.event_outbox"
            ).one()
            #expect(try event.get("type", as: String.self) == "job.committed.v1")
            #expect(try event.get("body", as: String.self).contains(job.description))
            await fresh.close()
            await database.close()
        }
    }

    @Test func `says what is missing, extra and outdated in a stale device set`() async throws {
        try await withAccount(devices: 3) { account, database in
            let stranger = Identifier.random()
            let failure = await #expect(throws: PostgresError.self) {
                let arguments = CommitArguments {
                    $0.sealedTo = [(account.devices[0], "k1"), (account.devices[1], "k0"), (stranger, "k1")]
                }
                try await account.commit(arguments: arguments, in: database)
            }
            let detail = failure?.detail ?? ""
            #expect(detail.contains(#""missing": ["\#(account.devices[2])"]"#))
            #expect(detail.contains(#""extra": ["\#(stranger)"]"#))
            #expect(detail.contains(#""outdated": ["\#(account.devices[1])"]"#))
            #expect(detail.contains(#""version": 3"#))
        }
    }
}

/// One wrong commit and its SQLSTATE; the table of topology/README.md.
struct Refusal: Sendable, CustomTestStringConvertible {
    let state: String
    let reason: String
    let arguments: @Sendable (SampleAccount) -> CommitArguments

    init(_ state: String, _ reason: String, _ change: @escaping @Sendable (inout CommitArguments) -> Void) {
        self.state = state
        self.reason = reason
        arguments = { _ in CommitArguments { change(&$0) } }
    }

    var testDescription: String { "\(state) \(reason)" }

    static let all: [Refusal] = [
        Refusal("MD001", "other digest") { $0.digest = [UInt8](repeating: 9, count: 32) },
        Refusal("MD001", "other document type") { $0.documentType = "CREDIT_NOTE" },
        Refusal("MD002", "old version") { $0.version = 1 },
        Refusal("MD002", "nothing sealed") { $0.sealedTo = [] },
        Refusal("MD003", "document type") { $0.documentType = "INVOICE" },
        Refusal("MD004", "body too large") { $0.body = [UInt8](repeating: 0, count: 262_145) },
        Refusal("MD005", "33 devices") { $0.sealedTo = (0..<33).map { _ in (Identifier.random(), "k1") } },
        Refusal("MD006", "malformed recipient") { $0.recipients = ["a b"] },
        Refusal("MD006", "recipient too long") { $0.recipients = [String(repeating: "a", count: 129)] },
        Refusal("MD006", "recipient twice") { $0.recipients = ["a", "a"] },
        Refusal("MD006", "65 recipients") { $0.recipients = (0..<65).map { "r\($0)" } },
        Refusal("MD007", "unknown account") { $0.account = "nobody" },
        Refusal("MD008", "lifetime too short") { $0.lifetime = .seconds(59) },
        Refusal("MD008", "lifetime too long") { $0.lifetime = .seconds(90 * 86_400 + 1) },
        Refusal("MD009", "empty body") { $0.body = [] },
        Refusal("MD009", "short digest") { $0.digest = [1] },
        Refusal("MD009", "short commitment") { $0.commitment = [1] },
        Refusal("MD009", "short signature") { $0.signature = [1] },
    ]
}
