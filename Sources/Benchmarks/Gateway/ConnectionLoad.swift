/// Requests over kept-alive connections to one server of this machine: as fast as answers come, or at a rate.
struct ConnectionLoad: Sendable {
    struct Outcome: Sendable {
        /// Answers a second.
        let rate: Double
        /// From the instant at which a request was due to its answer's last byte.
        let milliseconds: [Double]
        /// Of one answer.
        let body: [UInt8]
    }

    var port: Int
    var connections: Int
    /// Whole requests, which take turns.
    var requests: [[UInt8]]
    var time: Duration
    /// Requests a second over all connections; nil: each connection asks again as soon as it is answered.
    var rate: Double?

    init(port: Int, connections: Int, requests: [[UInt8]], time: Duration) {
        self.port = port
        self.connections = connections
        self.requests = requests
        self.time = time
    }

    /// Throws if a connection breaks or an answer is not 200.
    func run() async throws -> Outcome {
        try await OwnThread.run {
            let loop = try LoadLoop(self)
            defer { loop.close() }
            return try loop.run()
        }
    }
}
