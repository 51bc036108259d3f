public import Synchronization

/// A client's pool in numbers that any thread may read at any time; as of the end of the thread's last round.
public final class ClientGauges: Sendable {
    /// Ready to take requests, or ending those they have.
    public let connections = Atomic<Int>(0)
    public let streamsOpen = Atomic<Int>(0)
    /// What the servers' SETTINGS and our own limits allow on ready connections.
    public let streamsAllowed = Atomic<Int>(0)
    /// Requests that wait for a stream.
    public let waiting = Atomic<Int>(0)

    init() {}
}
