import HTTP2

/// A server and a client that trusts it, over real TLS on the loopback address.
struct Pair {
    let server: Server
    let client: Client

    static let authority = Result { () throws(HTTP2Error) in try CertificateAuthority() }

    static func identity() throws -> Identity { try authority.get().issue() }

    static func start(
        _ settings: ClientSettings = ClientSettings(), streams: UInt32 = 1000,
        handler: @escaping @Sendable (ReceivedRequest) -> Reply
    ) async throws -> Pair {
        var serverSettings = ServerSettings(identity: try identity())
        serverSettings.concurrentStreams = streams
        let server = try await Server.start(serverSettings, handler: handler)
        return Pair(server: server, client: try client(port: server.port, settings))
    }

    static func client(port: UInt16, _ settings: ClientSettings = ClientSettings()) throws -> Client {
        var settings = settings
        // Tests run on machines that are busy with other tests.
        settings.connectTimeout = .seconds(40)
        settings.trust = .pem(try authority.get().certificatePEM)
        return try Client(origin: Origin(host: "localhost", port: port), settings: settings)
    }

    func send(_ path: String = "/", body: [UInt8] = [], within: Duration = .seconds(45)) async -> RequestResult {
        await client.send(Request(path: path, body: body), deadline: .now + within)
    }

    func stop() async {
        await client.close()
        await server.stop()
    }
}

/// Lets a test wait until something happened `count` times.
actor Signal {
    private var reached = 0
    private var waiting: [(Int, CheckedContinuation<Void, Never>)] = []

    func raise() {
        reached += 1
        let ready = waiting.filter { $0.0 <= reached }
        waiting.removeAll { $0.0 <= reached }
        ready.forEach { $0.1.resume() }
    }

    func wait(_ count: Int = 1) async {
        if reached >= count { return }
        await withCheckedContinuation { waiting.append((count, $0)) }
    }
}

extension RequestResult {
    var status: Int? {
        if case .answer(let response) = self { response.status } else { nil }
    }
}
