/// A complete answer, whatever its status: that the server refused is a value, not an error.
public struct Response: Sendable, Equatable {
    public var status: Int
    public var headers: [Header]
    public var body: [UInt8]
    /// What was spoken on the wire: "1.1" or "2".
    public var version: String

    public init(status: Int, headers: [Header] = [], body: [UInt8] = [], version: String = "1.1") {
        self.status = status
        self.headers = headers
        self.body = body
        self.version = version
    }

    /// Repaired UTF-8.
    public var text: String { String(decoding: body, as: UTF8.self) }
}
