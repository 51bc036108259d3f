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
    /// For clients that don't speak HTTP/2: returns a connected, non-blocking stream socket that serves HTTP/1.1; the
    /// server joins it with the client's decrypted bytes and closes it. Nil refuses such clients.
    public var http1: (@Sendable () -> Int32?)?

    public init(identity: Identity) { self.identity = identity }
}
