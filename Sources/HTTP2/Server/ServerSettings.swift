/// Where and how a server listens.
public struct ServerSettings: Sendable {
    /// A name or address of this machine.
    public var host = "127.0.0.1"
    /// 0 takes a free one.
    public var port: UInt16 = 0
    public var identity: Identity
    /// What SETTINGS tell clients; more streams are refused.
    public var concurrentStreams: UInt32 = 1000
    /// Bytes of a request's body; a stream that brings more is reset (ENHANCE_YOUR_CALM).
    public var bodyLimit = 1 << 20
    /// Clients that don't speak HTTP/2 are served over HTTP/1.1; otherwise they are refused.
    public var allowsHTTP1 = false
    public var limits = ConnectionLimits()

    public init(identity: Identity) { self.identity = identity }
}

/// When a server ends connections by itself. Nil: never.
public struct ConnectionLimits: Hashable, Sendable {
    /// No stream is open and no request came for so long.
    public var idle: Duration?
    public var idleFarewell = Farewell()
    /// Since the connection was accepted.
    public var age: Duration?
    public var ageFarewell = Farewell()
    /// PINGs between two requests; with one more the connection ends.
    public var pings: Int?
    public var pingFarewell = Farewell(code: .enhanceYourCalm)
    /// A request that is not whole after so long goes to the handler as far as it came (`isComplete` is false).
    public var upload: Duration?

    public init() {}

    var needsClock: Bool { idle != nil || age != nil || upload != nil }
}

/// What a GOAWAY says.
public struct Farewell: Hashable, Sendable {
    public var code: ErrorCode
    public var debug: String

    public init(code: ErrorCode = .noError, debug: String = "") {
        self.code = code
        self.debug = debug
    }
}
