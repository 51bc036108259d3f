/// What a client's pool looks like just now, for metrics.
public struct ClientStatistics: Hashable, Sendable {
    public var connections = 0
    /// Streams in use, and streams that the servers' SETTINGS and our own limits allow on ready connections.
    public var streamsOpen = 0
    public var streamsAllowed = 0
    /// Requests that wait for a stream.
    public var waiting = 0
    /// Since the start, by the reason in APNs' debug data or else the error code's name.
    public var goAways: [String: Int] = [:]
    public var connectionsOpened = 0
    /// Attempts that never became a connection.
    public var connectionsFailed = 0
    /// Given up after silence.
    public var connectionsCondemned = 0

    public init() {}
}
