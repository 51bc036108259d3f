/// A request as a client sends it; scheme and authority come from the client's origin.
public struct Request: Hashable, Sendable {
    public var method: String
    /// Path and query, as on the wire.
    public var path: String
    public var headers: Headers
    public var body: [UInt8]

    public init(method: String = "POST", path: String, headers: Headers = [:], body: [UInt8] = []) {
        self.method = method
        self.path = path
        self.headers = headers
        self.body = body
    }
}
