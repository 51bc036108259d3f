/// What one listener takes from strangers.
public struct Limits: Equatable, Sendable {
    /// Connections at a time; more are closed at once.
    public var connections = 4096
    /// Of one peer address; 0 = no limit.
    public var connectionsPerAddress = 0
    /// A connection that neither sends nor receives for so long is closed (whole seconds).
    public var idle: Duration = .seconds(30)
    /// For the first line of a request, beyond the time that a connection may be silent: whoever sends a byte now and then
    /// is not silent, and is cut all the same.
    public var head: Duration = .seconds(10)
    /// A request must be here whole, so long after its first line; an answer must be taken within the same time.
    public var upload: Duration = .seconds(60)
    /// Bytes; a larger body is answered 413.
    public var body = 1 << 20
    /// Bytes for the head of a request; a larger one is answered 431 by the library.
    public var connectionMemory = 32 << 10
    /// What a larger body is answered; the connection is closed after it.
    public var tooLarge = Response(status: 413)

    public init() {}
}
