import CPostgres

/// Where the server is and who we are, from one URL: `postgres://user:password@host:port/database?sslmode=…`.
///
/// Start-up `options` are refused, because PgBouncer in transaction mode does: `statement_timeout` and the like are
/// settings of the role, made by the migrations.
public struct ConnectionSettings: Sendable, CustomStringConvertible {
    /// How long connecting may take.
    public var connectTimeout: Duration = .seconds(10)
    /// The deadline of a call that names none.
    public var callTimeout: Duration = .seconds(30)

    /// libpq keywords, in the order in which they are given to it.
    private(set) var parameters: [(keyword: String, value: String)]

    public init(url: String) throws(PostgresError) {
        guard url.hasPrefix("postgres://") || url.hasPrefix("postgresql://") else { throw Self.malformed }
        var failure: UnsafeMutablePointer<CChar>?
        // libpq's own message is dropped: it quotes parts of the URL, and a password with a raw `@` would be in it.
        guard let options = PQconninfoParse(url, &failure) else {
            PQfreemem(failure)
            throw Self.malformed
        }
        defer { PQconninfoFree(options) }
        var parameters: [(keyword: String, value: String)] = []
        var option = options
        while let keyword = option.pointee.keyword {
            if let value = option.pointee.val { parameters.append((String(cString: keyword), String(cString: value))) }
            option += 1
        }
        if parameters.contains(where: { $0.keyword == "options" }) {
            throw PostgresError(
                .malformedURL, "the database URL has start-up options; make them settings of the role instead")
        }
        for (keyword, value) in Self.defaults where !parameters.contains(where: { $0.keyword == keyword }) {
            parameters.append((keyword, value))
        }
        if let port = parameters.first(where: { $0.keyword == "port" })?.value,
            !port.split(separator: ",").allSatisfy({ (1...65535).contains(Int($0) ?? 0) })
        {
            throw Self.malformed
        }
        self.parameters = parameters
    }

    /// The same server and rights, another database: tests and tools make scratch databases with it.
    public func database(_ name: String) -> ConnectionSettings {
        var other = self
        other.set("dbname", name)
        return other
    }

    /// The same server and database as another role.
    public func user(_ name: String, password: String) -> ConnectionSettings {
        var other = self
        other.set("user", name)
        other.set("password", password)
        return other
    }

    /// Without the password.
    public var description: String {
        "\(value("user") ?? "-")@\(address)/\(value("dbname") ?? value("user") ?? "-")"
    }

    var address: String { "\(value("host") ?? value("hostaddr") ?? "localhost"):\(value("port") ?? "5432")" }

    func value(_ keyword: String) -> String? { parameters.first { $0.keyword == keyword }?.value }

    private mutating func set(_ keyword: String, _ value: String) {
        parameters.removeAll { $0.keyword == keyword }
        parameters.append((keyword, value))
    }

    private static let malformed = PostgresError(
        .malformedURL, "malformed database URL: expected postgres://user:password@host:port/database")

    /// A peer that is gone without a word is noticed within about a minute, also while we only wait for an answer.
    private static let defaults = [
        ("client_encoding", "UTF8"), ("fallback_application_name", "mobile-delivery"), ("keepalives_idle", "20"),
        ("keepalives_interval", "10"), ("keepalives_count", "3"), ("tcp_user_timeout", "40000"),
    ]
}
