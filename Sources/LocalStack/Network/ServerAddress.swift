/// The parts of `scheme://user:password@host:port/path` that tests and campaigns exchange.
public struct ServerAddress: Sendable {
    public var scheme: String
    public var credentials: String
    /// With the port, if there is one.
    public var host: String
    public var path: String

    public init(_ url: String) {
        let scheme = url.prefix { $0 != ":" }
        let rest = url.dropFirst(scheme.count + 3)
        let authority = rest.prefix { $0 != "/" }
        let at = authority.lastIndex(of: "@")
        self.scheme = String(scheme)
        credentials = at.map { String(authority[..<$0]) } ?? ""
        host = at.map { String(authority[authority.index(after: $0)...]) } ?? String(authority)
        path = String(rest.dropFirst(authority.count + 1))
    }

    public var text: String { "\(scheme)://\(credentials.isEmpty ? "" : credentials + "@")\(host)/\(path)" }

    public func with(credentials: String? = nil, path: String? = nil) -> String {
        var other = self
        other.credentials = credentials ?? self.credentials
        other.path = path ?? self.path
        return other.text
    }
}
