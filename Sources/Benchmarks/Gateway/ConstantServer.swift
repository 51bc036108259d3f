import HTTPServer

/// The gateway's HTTP server with nothing behind it: each request goes to a task, which answers always the same.
struct ConstantServer {
    private let listener: Listener
    var port: Int { Int(listener.port) }

    static func start(body: [UInt8]) throws(HTTPServerError) -> ConstantServer {
        var limits = Limits()
        limits.connections = 10_000
        limits.idle = .seconds(60)
        let answer = Response(
            status: 200,
            headers: [
                "Content-Type": "application/json", "ETag": "\"000000000000000000000000\"", "Cache-Control": "no-store",
            ], body: body)
        return ConstantServer(listener: try Listener.start(.loopback(), limits: limits) { _ in answer })
    }

    func stop() async { await listener.stop(grace: .seconds(1)) }
}
