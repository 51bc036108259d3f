public import Reactor

/// Sends any number of requests at once over kept connections; one thread of its own. A client that has sent anything
/// lives until `close()`.
public actor Client: ReactorSource {
    private let reactor: ReactorThread
    private let multi: Multi
    private let configuration: Configuration
    private var waiting: [Int: CheckedContinuation<Result<Response, HTTPClientError>, Never>] = [:]
    private var lastID = 0
    private var isRunning = false
    private var isClosed = false

    public nonisolated var unownedExecutor: UnownedSerialExecutor { reactor.asUnownedSerialExecutor() }

    public init(_ configuration: Configuration = Configuration()) {
        self.configuration = configuration
        reactor = ReactorThread(name: "http-client")
        multi = Multi(reactor: reactor, maximumConnectionsPerHost: configuration.maximumConnectionsPerHost)
    }

    /// Returns the complete answer, whatever its status, within the request's timeout. Redirects are not followed.
    public func send(_ request: Request) async throws(HTTPClientError) -> Response {
        guard !isClosed else {
            throw HTTPClientError(.closed, request: request.summary, detail: "the client is closed")
        }
        lastID += 1
        let id = lastID
        let transfer = try Transfer(id: id, request, configuration)
        if !isRunning {
            isRunning = true
            reactor.add(self)
        }
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                waiting[id] = continuation
                multi.add(transfer)
            }
        } onCancel: {
            Task { await self.end(id, .cancelled, "cancelled") }
        }
        return try result.get()
    }

    // Not in `close()`: a call that arrives just then still needs the thread to be told that the client is closed.
    deinit { reactor.stop() }

    /// Ends every open request with `.closed`.
    public func close() {
        guard !isClosed else { return }
        isClosed = true
        for id in waiting.keys { end(id, .closed, "the client was closed") }
        reactor.remove(self)
    }

    public nonisolated func turn() -> ContinuousClock.Instant? {
        assumeIsolated { client in
            for (id, result) in client.multi.takeTurn() {
                client.waiting.removeValue(forKey: id)?.resume(returning: result)
            }
            return client.multi.nextTurn
        }
    }

    private func end(_ id: Int, _ kind: HTTPClientError.Kind, _ detail: String) {
        guard let transfer = multi.remove(id) else { return }
        waiting.removeValue(forKey: id)?.resume(returning: .failure(transfer.error(kind, detail)))
    }
}
