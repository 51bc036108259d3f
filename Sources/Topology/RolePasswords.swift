public import Daemon
public import Postgres

/// Passwords of the roles that the migrations made. The server gets only what it stores: its log never sees one.
public struct RolePasswords: Sendable {
    /// The roles of the services, as `0002-roles.sql` makes them, and the settings with their passwords.
    public static let settings = [
        "md_relay": "MOBILE_DELIVERY_RELAY_DATABASE_PASSWORD",
        "md_recorder": "MOBILE_DELIVERY_RECORDER_DATABASE_PASSWORD",
        "md_coordinator": "MOBILE_DELIVERY_COORDINATOR_DATABASE_PASSWORD",
        "md_gateway": "MOBILE_DELIVERY_GATEWAY_DATABASE_PASSWORD",
        "md_operator": "MOBILE_DELIVERY_OPERATOR_DATABASE_PASSWORD",
        "md_producer": "MOBILE_DELIVERY_PRODUCER_DATABASE_PASSWORD",
    ]

    public let passwords: [String: Secret<String>]

    public init(_ passwords: [String: Secret<String>]) { self.passwords = passwords }

    /// A role whose setting is not set keeps the password it has.
    public init(reading reader: EnvironmentReader) {
        self.init(Self.settings.compactMapValues { reader.optionalSecret($0) })
    }

    /// Sets each; setting the same again is harmless.
    public func apply(on connection: Connection) async throws(PostgresError) {
        for (role, password) in passwords.sorted(by: { $0.key < $1.key }) {
            try await connection.setPassword(password.revealed, of: role)
        }
    }
}
