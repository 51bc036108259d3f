import Cryptography
import Daemon
public import Delivery
import FoundationEssentials
public import Postgres
import Storage

/// An account whose devices are nothing but provider tokens, made by SQL: enough for hints to be sent and accepted, and
/// quick enough for thousands. Nobody can open its jobs.
public struct TokenAccount: Sendable {
    /// One device and where its hints go.
    public struct Device: Sendable {
        public let id: Identifier
        public let route: Route
        public let token: String
    }

    public let name: String
    public let devices: [Device]

    /// Makes the account with one device a route, each with an active token that the simulator knows.
    public static func make(
        _ name: String, routes: [Route], on stack: Stack, in database: Database
    ) async throws -> TokenAccount {
        try await make(
            name, routes: routes, tokenKeys: keys(of: stack), appsFile: stack.providers.appsFile,
            control: stack.control, in: database)
    }

    /// The same on a system that need not be a `Stack`: `tokenKeys` is the content of its token keys file.
    public static func make(
        _ name: String, routes: [Route], tokenKeys: String, appsFile: String, control: ProviderControl,
        in database: Database
    ) async throws -> TokenAccount {
        let devices = routes.map { route in
            let random = Hex.encode(RandomBytes.make(32))
            return Device(id: .random(), route: route, token: route.provider == .apns ? random : "simulated-\(random)")
        }
        let app = try AppsFile(reading: appsFile).apps.first { $0.name == routes.first?.app }
        for device in devices {
            let owner = device.route.provider == .apns ? app?.apns?.bundleID : app?.fcm?.projectID
            try await control.register(
                token: device.token, provider: device.route.provider.rawValue, app: owner ?? "",
                environment: device.route.environment)
        }
        let account = TokenAccount(name: name, devices: devices)
        try await account.insert(TokenVault(keys: TokenKeys(json: tokenKeys)), in: database)
        return account
    }

    private static func keys(of stack: Stack) throws(CommandFailure) -> String {
        try SettingsFile.text(StackSetup(stack.site).tokenKeysFile)
    }

    private func insert(_ vault: TokenVault, in database: Database) async throws {
        let sealed = devices.map { device in
            vault.seal(
                device.token,
                for: TokenSubject(
                    device: device.id.bytes, provider: device.route.provider.rawValue, app: device.route.app,
                    environment: device.route.environment))
        }
        let prints = devices.map { vault.fingerprint(of: $0.token) }
        try await database.execute(
            """
            WITH account AS (
                INSERT INTO delivery.account (account_id, device_set_version) VALUES (\(name), \(Int64(devices.count)))
            ), devices AS (
                INSERT INTO delivery.device (device_id, account_id, platform, signing_algorithm, signing_key)
                SELECT id, \(name), CASE provider WHEN 'apns' THEN 'ios' ELSE 'android' END, 'ed25519',
                       \([UInt8](repeating: 1, count: 32))
                  FROM unnest(\(devices.map(\.id)), \(devices.map(\.route.provider.rawValue))) d (id, provider)
            ), keys AS (
                INSERT INTO delivery.device_key (device_id, key_id, public_key)
                SELECT id, 'k1', \([UInt8](repeating: 2, count: 32)) FROM unnest(\(devices.map(\.id))) d (id)
            )
            INSERT INTO delivery.push_token (device_id, provider, app, environment, kind, sealed, sealing_key_id,
                                             fingerprint, fingerprint_key_id, registration)
            SELECT id, provider, app, environment, 'token', sealed, \(sealed.first?.keyID ?? ""), print,
                   \(prints.first?.keyID ?? ""), 1
              FROM unnest(\(devices.map(\.id)), \(devices.map(\.route.provider.rawValue)),
                          \(devices.map(\.route.app)), \(devices.map(\.route.environment)),
                          \(sealed.map(\.bytes)), \(prints.map(\.bytes)))
                   t (id, provider, app, environment, sealed, print)
            """)
    }

    /// Commits `jobs` in one transaction; each has a hint for every device.
    public func commit(_ jobs: Int, in database: Database) async throws(PostgresError) {
        try await database.execute(
            """
            SELECT delivery.commit_job(
                       gen_random_uuid(), \(name), 'RECEIPT', \([UInt8]("ciphertext".utf8)), 1::smallint,
                       \([UInt8](repeating: 3, count: 32)), \([UInt8](repeating: 4, count: 32)),
                       \([UInt8](repeating: 5, count: 64)), 'producer-1', \(Int64(devices.count)),
                       ARRAY(SELECT ROW(d, 'k1', 'sealed'::bytea)::delivery.sealed_key
                               FROM unnest(\(devices.map(\.id))) t (d)),
                       '{}', interval '1 hour')
              FROM generate_series(1, \(Int32(jobs)))
            """, within: .seconds(30))
    }
}
