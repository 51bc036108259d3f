/// One request to an `http` or `https` address.
public struct Request: Sendable {
    public var method: String
    /// Absolute, already percent-encoded. User and password in it are sent as basic authentication.
    public var url: String
    public var headers: [Header]
    public var body: [UInt8]
    /// From the call to the last byte of the answer, waiting for a free connection included.
    public var timeout: Duration

    public init(
        _ method: String, _ url: String, headers: [Header] = [], body: [UInt8] = [], timeout: Duration = .seconds(15)
    ) {
        self.method = method
        self.url = url
        self.headers = headers
        self.body = body
        self.timeout = timeout
    }

    /// Method and address for logs and errors: without user, password, query and fragment.
    public var summary: String { "\(method) \(Self.withoutSecrets(url))" }

    static func withoutSecrets(_ url: String) -> String {
        let address = url.prefix { $0 != "?" && $0 != "#" }
        guard let scheme = address.firstRange(of: "://") else { return String(address) }
        let rest = address[scheme.upperBound...]
        let authority = rest.prefix { $0 != "/" }
        guard let at = authority.lastIndex(of: "@") else { return String(address) }
        return String(address[..<scheme.upperBound] + rest[rest.index(after: at)...])
    }
}
