/// A request and every way to treat it and the connection it came on. What comes too late (the client went away) does
/// nothing; functions that return a Boolean say so.
public struct Exchange: Sendable {
    public let request: ReceivedRequest
    private let server: Server

    init(request: ReceivedRequest, server: Server) {
        self.request = request
        self.server = server
    }

    /// Header fields, body and the end of the stream.
    @discardableResult
    public func answer(_ response: Response) async -> Bool {
        await server.act(request) { $0.answer(request.stream, response) }
    }

    /// Only the header fields; the stream stays open for `write` and `reset`.
    @discardableResult
    public func begin(status: Int, headers: Headers = [:]) async -> Bool {
        await server.act(request) { $0.begin(request.stream, status: status, headers: headers) }
    }

    /// A part of the body, after `begin`.
    @discardableResult
    public func write(_ bytes: [UInt8], end: Bool = false) async -> Bool {
        await server.act(request) { $0.write(request.stream, bytes, end: end) }
    }

    /// Over HTTP/1.1 the connection goes with it.
    @discardableResult
    public func reset(_ code: ErrorCode) async -> Bool {
        await server.act(request) { $0.reset(request.stream, code) }
    }

    /// Farewell to the whole connection (over HTTP/1.1: the next answer is the last). Streams above `lastStream` (nil: the newest so far) are dropped; the others can
    /// still be answered.
    public func goAway(lastStream: Int32? = nil, code: ErrorCode = .noError, debug: String = "") async {
        await server.act(request) { $0.goAway(lastStream: lastStream, Farewell(code: code, debug: debug)) }
    }

    /// New SETTINGS for this connection.
    public func setConcurrentStreams(_ count: UInt32) async {
        await server.act(request) { $0.setConcurrentStreams(count) }
    }

    /// Plays a dead host: neither reads nor writes on this connection any more, and does not close it.
    public func silence() async { await server.act(request) { $0.silence() } }

    /// Closes the connection without any farewell; what was written before is delivered first.
    public func disconnect() async { await server.act(request) { $0.disconnect() } }

    /// Bytes in the middle of the HTTP/2 connection that no honest server would send.
    public func writeRaw(_ bytes: [UInt8]) async { await server.act(request) { $0.writeRaw(bytes) } }
}
