public import HTTPServer

/// `/livez`, `/readyz` and `/metrics` for orchestrators and scrapers; no secrets, no changes.
public final class AdminServer: Sendable {
    private let listener: Listener

    public var address: Address { listener.address ?? .loopback() }

    public static func start(_ address: Address, metrics: Metrics, readiness: Readiness) throws(HTTPServerError)
        -> AdminServer
    {
        var limits = Limits()
        limits.connections = 64
        limits.body = 0
        return AdminServer(
            listener: try Listener.start(address, limits: limits) { request in
                answer(request, metrics: metrics, readiness: readiness)
            })
    }

    private init(listener: Listener) { self.listener = listener }

    public func stop() async { await listener.stop(grace: .seconds(1)) }

    static func answer(_ request: Request, metrics: Metrics, readiness: Readiness) -> Response {
        guard request.method == "GET" || request.method == "HEAD" else {
            return Response(status: 405, headers: ["Allow": "GET, HEAD"])
        }
        switch request.path {
        case "/livez": return .text("alive\n")
        case "/readyz":
            let missing = readiness.missing.sorted { $0.key < $1.key }
            guard !missing.isEmpty else { return .text("ready\n") }
            return .text(missing.map { "\($0.key): \($0.value)\n" }.joined(), status: 503)
        case "/metrics":
            let type = "text/plain; version=0.0.4; charset=utf-8"
            return Response(status: 200, headers: ["Content-Type": type], body: Array(metrics.exposition().utf8))
        default: return .text("try /livez, /readyz or /metrics\n", status: 404)
        }
    }
}
