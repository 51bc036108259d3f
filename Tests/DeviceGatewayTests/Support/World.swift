import Cryptography
import Delivery
import Messages
import Postgres
import Storage
import TestSupport

/// A migrated database with one app, seen as the gateway's role and as an administrator who can turn time back.
struct World {
    let gateway: Database
    let administrator: Database
    let account = "account-1"

    /// A phone that is enrolled, with keys of its own.
    func enrol(_ account: String? = nil) async throws -> Phone {
        let phone = Phone()
        let ticket = RandomBytes.make(32)
        try await gateway.execute(
            "SELECT delivery.issue_ticket(\(account ?? self.account), \(ticket), \(Duration.seconds(60)))")
        let outcome = try await gateway.query(
            """
            SELECT outcome FROM delivery.enrol_device(\(ticket), \(phone.id), \("ios"), \("ed25519"),
                \(phone.key.publicKey), \("k1"), \(phone.agreementKey))
            """
        ).one().get("outcome", as: String.self)
        guard outcome == "enrolled" else { throw Refused(outcome: outcome) }
        return phone
    }

    /// A job for all active devices of the account.
    func commit(_ account: String? = nil, recipients: [String] = ["shop"]) async throws -> Identifier {
        let job = Identifier.random()
        let account = account ?? self.account
        let body = RandomBytes.make(64)
        let rows = try await gateway.query("SELECT * FROM delivery.account_devices(\(account))")
        let devices = try rows.map { try $0.get("device_id", as: Identifier.self) }
        let version = try rows[0].get("device_set_version", as: Int64.self)
        let refusal = try await gateway.query(
            """
            SELECT state FROM delivery.commit_job_over_http(\(job), \(account), \("RECEIPT"), \(body), 1::smallint,
                \(Digest.blake2b(body)), \(RandomBytes.make(32)), \(RandomBytes.make(64)), \("author-1"), \(version),
                \(devices), \(devices.map { _ in "k1" }), \(devices.map { _ in RandomBytes.make(80) }), \(recipients),
                \(Duration.seconds(3_600)), NULL)
            """
        ).one().get("state", as: String?.self)
        if let refusal { throw Refused(outcome: refusal) }
        return job
    }

    func claim(_ phone: Phone, _ job: Identifier) async throws {
        let row = try await gateway.query("SELECT outcome FROM delivery.claim_job(\(phone.id), \(job))").one()
        let outcome = try row.get("outcome", as: String.self)
        guard outcome == "ok" else { throw Refused(outcome: outcome) }
    }

    struct Refused: Error { var outcome: String }
}

func withWorld<Result>(_ body: (World) async throws -> Result) async throws -> Result {
    try await withScratchDatabase { scratch in
        let administrator = Database(try scratch.settings, connections: 1)
        try await administrator.execute("SELECT delivery.add_route('apns', 'production', 'cheqi')")
        try await administrator.execute("SELECT delivery.add_route('fcm', '', 'cheqi')")
        let gateway = Database(try scratch.settings(as: "md_gateway"), connections: 3)
        let world = World(gateway: gateway, administrator: administrator)
        let outcome: Swift.Result<Result, any Error>
        do { outcome = .success(try await body(world)) } catch { outcome = .failure(error) }
        await world.gateway.close()
        await administrator.close()
        return try outcome.get()
    }
}
