/// What the library's callbacks need of a listener.
final class ListenerContext: Sendable {
    let limits: Limits
    let handler: @Sendable (Request) async -> Response
    let suspended = Suspended()
    let connections: Connections

    init(limits: Limits, handler: @escaping @Sendable (Request) async -> Response) {
        self.limits = limits
        connections = Connections(limits)
        self.handler = handler
    }
}

extension Response {
    static let stopping = Response(status: 503, headers: ["Connection": "close", "Retry-After": "1"])

    /// Closes the connection after it.
    var closing: Response {
        var copy = self
        copy.headers.add("Connection", "close")
        return copy
    }
}
