/// A request as a server got it.
public struct ReceivedRequest: Hashable, Sendable {
    public enum Version: String, Sendable {
        case http1 = "http/1.1"
        case http2 = "h2"
    }

    public var version: Version
    /// Number of the connection, growing from 1, and of the stream on it (HTTP/1.1: of the request on it, from 1).
    public var connection: Int
    public var stream: Int32
    /// All fields in the order of the wire, pseudo-headers (`:method`, `:path`, …) included. A request over HTTP/1.1 gets
    /// those two, too, and lower-case names.
    public var fields: Headers
    public var body: [UInt8]
    /// False: the rest did not come in time.
    public var isComplete: Bool

    public init(
        version: Version = .http2, connection: Int, stream: Int32, fields: Headers, body: [UInt8],
        isComplete: Bool = true
    ) {
        self.version = version
        self.connection = connection
        self.stream = stream
        self.fields = fields
        self.body = body
        self.isComplete = isComplete
    }

    public var method: String { fields.value(of: ":method")?.text ?? "" }
    public var path: String { fields.value(of: ":path")?.text ?? "" }
    public var authority: String? { (fields.value(of: ":authority") ?? fields.value(of: "host"))?.text }
}
