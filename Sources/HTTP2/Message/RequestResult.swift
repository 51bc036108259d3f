/// What became of a request. Exactly one of three, because they ask for three different things of the caller: read the
/// answer; send again at once; or send again later knowing that it may have been done already.
public enum RequestResult: Hashable, Sendable {
    case answer(Response)
    /// The server provably did nothing for it.
    case unprocessed(Unprocessed)
    /// It was sent, and nobody can say whether the server acted on it.
    case ambiguous(Ambiguous)
}

/// Why a request is known not to have been processed.
public enum Unprocessed: Hashable, Sendable {
    /// The deadline passed before a byte of it was written.
    case deadline
    /// Too many requests are waiting already.
    case queueFull
    /// No connection: name not found, refused, timed out, certificate not trusted, no HTTP/2. The text is safe to log.
    case unreachable(String)
    /// The connection ended before a byte of it was written.
    case connectionLost(String)
    /// Its stream is above the last one that the server's GOAWAY said it would look at.
    case goAway(GoAway)
    case refusedStream
    /// The calling task was cancelled before a byte of it was written.
    case cancelled
    /// The client was closed.
    case closed
}

/// Why it is unknown whether a sent request was processed.
public enum Ambiguous: Hashable, Sendable {
    case timeout
    /// RST_STREAM from the server; the status is there if header fields had arrived.
    case reset(ErrorCode, status: Int?)
    /// The server said GOAWAY, promised to look at this stream, and closed without an answer.
    case goAway(GoAway)
    case connectionLost(String)
    /// Header list or body above the client's limit.
    case answerTooLarge(status: Int?)
    case malformedAnswer
    case cancelled
    /// The client was closed while the request was open.
    case closed
}

/// A server's farewell to a connection.
public struct GoAway: Hashable, Sendable {
    public var lastStream: Int32
    public var code: ErrorCode
    /// The debug data as text (APNs: JSON with a `reason`), cut at 256 bytes.
    public var debug: String

    public init(lastStream: Int32, code: ErrorCode, debug: String) {
        self.lastStream = lastStream
        self.code = code
        self.debug = debug
    }
}
