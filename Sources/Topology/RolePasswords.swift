public import Postgres

/// Passwords of the roles that the migrations made. The server gets only what it stores: its log never sees one.
public struct RolePasswords: Sendable {
    /// The roles of the services, as `0002-roles.sql` makes them.
    public static let roles = ["md_relay", "md_recorder", "md_coordinator", "md_gateway", "md_operator", "md_producer"]

    public let passwords: [String: String]

    public init(_ passwords: [String: String]) { self.passwords = passwords }

    /// Sets each; setting the same again is harmless.
    public func apply(on connection: Connection) async throws(PostgresError) {
        for (role, password) in passwords.sorted(by: { $0.key < $1.key }) {
            try await connection.setPassword(password, of: role)
        }
    }
}
