/// One HTTP exchange with the gateway; the host app owns the connection, its trust and its time-outs.
public protocol Transport: Sendable {
    /// The Host header that requests will carry: host in lower case, port unless it is the scheme's own.
    var authority: String { get }

    /// Returns every answer, whatever its status; throws if there was none.
    func send(_ request: TransportRequest) async throws(TransportError) -> TransportResponse
}

public struct TransportRequest: Equatable, Sendable {
    public struct Field: Equatable, Sendable {
        public var name: String
        public var value: String

        public init(_ name: String, _ value: String) {
            self.name = name
            self.value = value
        }
    }

    public var method: String
    public var path: String
    /// Without the question mark; empty = none.
    public var query: String
    public var fields: [Field]
    public var body: [UInt8]?

    public init(method: String, path: String, query: String = "", fields: [Field] = [], body: [UInt8]? = nil) {
        self.method = method
        self.path = path
        self.query = query
        self.fields = fields
        self.body = body
    }

    /// Path and query as they go into the request line.
    public var target: String { query.isEmpty ? path : "\(path)?\(query)" }
}

public struct TransportResponse: Equatable, Sendable {
    public var status: Int
    /// Names in lower case.
    public var fields: [String: String]
    public var body: [UInt8]

    public init(status: Int, fields: [String: String] = [:], body: [UInt8] = []) {
        self.status = status
        self.fields = fields
        self.body = body
    }
}

/// Why there was no answer.
public enum TransportError: Error, Equatable, Sendable {
    /// No network: nothing was tried.
    case offline
    /// The request may have been processed.
    case failed(String)
    /// The window of execution ended; whatever is running unwinds without touching anything more.
    case stopped
}
