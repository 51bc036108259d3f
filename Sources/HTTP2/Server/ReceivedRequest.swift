/// A request as a server got it.
public struct ReceivedRequest: Hashable, Sendable {
    /// Number of the connection, growing from 1, and of the stream on it.
    public var connection: Int
    public var stream: Int32
    /// All fields in the order of the wire, pseudo-headers (`:method`, `:path`, …) included.
    public var fields: Headers
    public var body: [UInt8]

    public init(connection: Int, stream: Int32, fields: Headers, body: [UInt8]) {
        self.connection = connection
        self.stream = stream
        self.fields = fields
        self.body = body
    }

    public var method: String { fields[":method"] ?? "" }
    public var path: String { fields[":path"] ?? "" }
    public var authority: String? { fields[":authority"] ?? fields["host"] }
}
