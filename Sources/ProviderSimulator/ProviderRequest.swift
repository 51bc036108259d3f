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
    public var version: ReceivedRequest.Version
    /// Number of the connection within its service, and of the stream on it (HTTP/1.1: of the request on it).
    public var connection: Int
    public var stream: Int32
    public var method: String
    public var path: String
    /// All fields in the order in which they came, with HTTP/2's pseudo-headers.
    public var fields: Headers
    public var body: [UInt8]
    /// False: the rest of it did not come in time.
    public var isComplete: Bool

    public init(
        service: ProviderService, version: ReceivedRequest.Version = .http2, connection: Int = 1, stream: Int32 = 1,
        method: String, path: String, fields: Headers = [:], body: [UInt8] = [], isComplete: Bool = true
    ) {
        self.service = service
        self.version = version
        self.connection = connection
        self.stream = stream
        self.method = method
        self.path = path
        self.fields = fields
        self.body = body
        self.isComplete = isComplete
    }

    init(_ received: ReceivedRequest, service: ProviderService) {
        self.init(
            service: service, version: received.version, connection: received.connection, stream: received.stream,
            method: received.method, path: received.path, fields: received.fields, body: received.body,
            isComplete: received.isComplete)
    }
}
