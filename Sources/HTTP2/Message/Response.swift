/// An answer: what a client got or a server gives.
public struct Response: Hashable, Sendable {
    public var status: Int
    /// Without pseudo-headers; trailers follow the header fields.
    public var headers: Headers
    public var body: [UInt8]

    public init(status: Int, headers: Headers = [:], body: [UInt8] = []) {
        self.status = status
        self.headers = headers
        self.body = body
    }
}
