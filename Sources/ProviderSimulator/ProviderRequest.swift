public import HTTP2

/// Which of the simulated services a request came to.
public enum ProviderService: Hashable, Sendable {
    /// `production` or `sandbox`.
    case apns(environment: String)
    case fcm
    case oauth

    public var provider: String {
        switch self {
        case .apns: "apns"
        case .fcm: "fcm"
        case .oauth: "oauth"
        }
    }

    /// Empty where there is none.
    public var environment: String { if case .apns(let environment) = self { environment } else { "" } }
}

/// A request as it came, whatever version of HTTP brought it.
public struct ProviderRequest: Hashable, Sendable {
    public var service: ProviderService
    /// `h2` or `http/1.1`.
    public var version: String
    /// Number of the connection within its service, and of the stream on it; 0 over HTTP/1.1.
    public var connection: Int
    public var stream: Int32
    public var method: String
    public var path: String
    /// All fields in the order in which they came, with HTTP/2's pseudo-headers.
    public var fields: Headers
    public var body: [UInt8]

    public init(
        service: ProviderService, version: String = "h2", connection: Int = 1, stream: Int32 = 1, method: String,
        path: String, fields: Headers = [:], body: [UInt8] = []
    ) {
        self.service = service
        self.version = version
        self.connection = connection
        self.stream = stream
        self.method = method
        self.path = path
        self.fields = fields
        self.body = body
    }

    init(_ received: ReceivedRequest, service: ProviderService) {
        self.init(
            service: service, connection: received.connection, stream: received.stream, method: received.method,
            path: received.path, fields: received.fields, body: received.body)
    }

    /// The value of the only field of that name; a repeated one counts as absent here and is refused elsewhere.
    func header(_ name: String) -> String? {
        switch service {
        case .apns: fields[name]
        case .fcm, .oauth: fields.first { $0.name.lowercased() == name }?.value
        }
    }
}
