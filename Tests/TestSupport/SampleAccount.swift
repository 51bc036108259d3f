public import Delivery
public import Postgres

/// An account with active devices, made by SQL alone, for tests that need jobs and not the gateway.
public struct SampleAccount: Sendable {
    public let name: String
    /// In the order of their ids.
    public let devices: [Identifier]
    public let version: Int

    /// The devices have a key `k1` and no token.
    public static func make(
        _ name: String = "account-1", devices count: Int, in database: Database
    ) async throws -> SampleAccount {
        let devices = (0..<count).map { _ in Identifier.random() }.sorted { $0.description < $1.description }
        try await database.execute(
            "INSERT INTO delivery.account (account_id, device_set_version) VALUES (\(name), \(count))")
        for device in devices {
            try await database.execute(
                """
                INSERT INTO delivery.device (device_id, account_id, platform, signing_algorithm, signing_key)
                VALUES (\(device.description)::uuid, \(name), 'ios', 'ed25519', \([UInt8](repeating: 1, count: 32)))
                """)
            try await database.execute(
                """
                INSERT INTO delivery.device_key (device_id, key_id, public_key)
                VALUES (\(device.description)::uuid, 'k1', \([UInt8](repeating: 2, count: 32)))
                """)
        }
        return SampleAccount(name: name, devices: devices, version: count)
    }

    /// Gives a device an active token of a route, which has to be in `route_state`.
    public func addToken(
        to device: Identifier, route: Route, state: String = "active", in database: Database
    ) async throws {
        try await database.execute(
            """
            INSERT INTO delivery.push_token (device_id, provider, app, environment, kind, sealed, sealing_key_id,
                                             fingerprint, fingerprint_key_id, registration, state)
            VALUES (\(device.description)::uuid, \(route.provider.rawValue), \(route.app), \(route.environment),
                    'token', \([UInt8]("sealed".utf8)), 's1', \(device.bytes + device.bytes), 'f1', 1, \(state))
            """)
    }

    /// Commits a job for every device; what is not given is valid.
    @discardableResult
    public func commit(
        _ job: Identifier = .random(), arguments: CommitArguments = CommitArguments(), in database: Database
    ) async throws -> Identifier {
        let sealed = arguments.sealedTo ?? devices.map { (device: $0, key: "k1") }
        try await database.execute(
            """
            SELECT delivery.commit_job(
                \(job.description)::uuid, \(arguments.account ?? name), \(arguments.documentType), \(arguments.body),
                1::smallint, \(arguments.digest), \(arguments.commitment), \(arguments.signature), 'producer-1',
                \(arguments.version ?? version),
                ARRAY(SELECT ROW(d::uuid, k, \([UInt8]("sealed".utf8)))::delivery.sealed_key
                        FROM unnest(\(sealed.map(\.device.description)), \(sealed.map(\.key))) s(d, k)),
                \(arguments.recipients), \(arguments.lifetime))
            """)
        return job
    }
}

/// What `SampleAccount.commit` passes on.
public struct CommitArguments: Sendable {
    public var account: String?
    public var documentType = "RECEIPT"
    public var body = [UInt8]("ciphertext".utf8)
    public var digest = [UInt8](repeating: 3, count: 32)
    public var commitment = [UInt8](repeating: 4, count: 32)
    public var signature = [UInt8](repeating: 5, count: 64)
    public var version: Int?
    public var sealedTo: [(device: Identifier, key: String)]?
    public var recipients: [String] = []
    public var lifetime = Duration.seconds(3600)

    public init() {}

    public init(_ change: (inout CommitArguments) -> Void) { change(&self) }
}
