import Delivery
import Postgres

/// Accounts whose devices have tokens, and jobs for them, committed by the function that producers call.
struct OutboxFiller {
    let database: Database
    /// Devices of each account.
    let devices: Int

    static let accounts = 64

    /// `prefix` names the accounts: `<prefix>-1` and so on.
    func makeAccounts(
        _ count: Int = OutboxFiller.accounts, prefix: String = "bench", route: Route = OutboxSite.route
    ) async throws {
        try await database.execute(
            """
            INSERT INTO delivery.account (account_id, device_set_version)
            SELECT \(prefix) || '-' || n, 1 FROM generate_series(1, \(count)) n
            """)
        try await database.execute(
            """
            INSERT INTO delivery.device (device_id, account_id, platform, signing_algorithm, signing_key)
            SELECT gen_random_uuid(), a.account_id, 'ios', 'ed25519', decode(repeat('01', 32), 'hex')
              FROM delivery.account a, generate_series(1, \(devices)) WHERE a.account_id LIKE \(prefix + "-%")
            """)
        try await database.execute(
            """
            INSERT INTO delivery.device_key (device_id, key_id, public_key)
            SELECT d.device_id, 'k1', decode(repeat('02', 32), 'hex') FROM delivery.device d
             WHERE d.account_id LIKE \(prefix + "-%")
            """)
        try await addTokens(prefix, route)
    }

    /// Sealed tokens have the length of real ones; their content opens for nobody.
    private func addTokens(_ prefix: String, _ route: Route) async throws {
        try await database.execute(
            """
            INSERT INTO delivery.push_token (device_id, provider, app, environment, kind, sealed, sealing_key_id,
                                             fingerprint, fingerprint_key_id, registration)
            SELECT d.device_id, \(route.provider.rawValue), \(route.app), \(route.environment), 'token',
                   decode(repeat('03', 105), 'hex'), 'k1', sha256(uuid_send(d.device_id)), 'f1', 1
              FROM delivery.device d WHERE d.account_id LIKE \(prefix + "-%")
            """)
    }

    /// Commits jobs until `hints` rows are due: one of each account in a transaction, or a hundred of a single one.
    func commit(hints: Int, prefix: String = "bench") async throws {
        let accounts: Int64 = try await database.query(
            "SELECT count(*) AS n FROM delivery.account WHERE account_id LIKE \(prefix + "-%")"
        ).one()["n"]
        var left = hints / devices
        while left > 0 {
            try Task.checkCancellation()
            let jobs = try await database.query(
                """
                SELECT count(delivery.commit_job(
                           gen_random_uuid(), a.account_id, 'RECEIPT', decode(repeat('04', 256), 'hex'), 1::smallint,
                           decode(repeat('05', 32), 'hex'), decode(repeat('06', 32), 'hex'),
                           decode(repeat('07', 64), 'hex'), 'producer-1', a.device_set_version,
                           (SELECT array_agg(ROW(d.device_id, 'k1', decode(repeat('08', 120), 'hex'))
                                             ::delivery.sealed_key)
                              FROM delivery.device d WHERE d.account_id = a.account_id),
                           '{}', interval '30 days')::text) AS jobs
                  FROM (SELECT account_id, device_set_version
                          FROM delivery.account, generate_series(1, greatest(1, 100 / \(accounts))) n
                         WHERE account_id LIKE \(prefix + "-%") ORDER BY n, account_id LIMIT \(left)) a
                """, within: .seconds(60)
            ).one().get("jobs", as: Int64.self)
            guard jobs > 0 else { throw Unusable("no job could be committed") }
            left -= Int(jobs)
        }
    }
}
