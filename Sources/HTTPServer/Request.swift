/// One request with its whole body. Path and query are the bytes that came, because signatures cover them.
public struct Request: Equatable, Sendable {
    public var method: String
    /// Path and query exactly as sent, nothing decoded.
    public var target: String
    public var headers: Headers
    public var body: [UInt8]
    /// Numeric address of the peer; empty for a connection that was handed over.
    public var peer: String

    public init(method: String, target: String, headers: Headers = Headers(), body: [UInt8] = [], peer: String = "") {
        self.method = method
        self.target = target
        self.headers = headers
        self.body = body
        self.peer = peer
    }

    /// The part of the target before the first `?`.
    public var path: Substring { target.prefix { $0 != "?" } }

    /// The part after the first `?`, without it; nil when there is none.
    public var query: Substring? {
        guard let mark = target.firstIndex(of: "?") else { return nil }
        return target[target.index(after: mark)...]
    }

    /// Decoded value of the first query parameter of that name.
    public func parameter(_ name: String) -> String? {
        guard let query else { return nil }
        for pair in query.split(separator: "&") {
            let halves = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            if Percent.decoded(halves[0]) == name { return halves.count == 2 ? Percent.decoded(halves[1]) : "" }
        }
        return nil
    }
}
