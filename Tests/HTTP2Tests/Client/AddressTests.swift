import Synchronization
import TestSupport
import Testing

@testable import HTTP2

/// A name with several addresses, on real sockets.
@Suite(.timeLimit(.minutes(3)))
struct AddressTests {
    private static let answer: @Sendable (ReceivedRequest) -> Reply = { _ in .answer(Response(status: 200)) }

    private func settings() throws -> ClientSettings {
        var settings = ClientSettings()
        settings.connectTimeout = .seconds(40)
        settings.trust = .pem(try Pair.authority.get().certificatePEM)
        return settings
    }

    private func addresses(_ hosts: (String, UInt16)...) throws -> [SocketAddress] {
        try hosts.flatMap { try SocketAddress.lookUp(host: $0.0, port: $0.1).get() }
    }

    private func send(_ client: Client) async -> RequestResult {
        await client.send(Request(path: "/"), deadline: .now + .seconds(45))
    }

    @Test func `a server that only has IPv6 is reached`() async throws {
        var serverSettings = ServerSettings(identity: try Pair.identity())
        serverSettings.host = "::1"
        let server = try await Server.start(serverSettings, handler: Self.answer)
        let client = try Client(origin: Origin(host: "::1", port: server.port), settings: settings())
        #expect(await send(client).status == 200)
        await client.close()
        await server.stop()
    }

    @Test func `an address that does not answer is not waited for`() async throws {
        let hole = try BlackHole()
        let server = try await Server.start(ServerSettings(identity: try Pair.identity()), handler: Self.answer)
        let found = try addresses(("127.0.0.1", hole.port), ("127.0.0.1", server.port))
        var settings = try settings()
        settings.connectStagger = .milliseconds(50)
        settings.connections = 2
        let client = try Client(origin: Origin(host: "localhost"), settings: settings) { $2(.success(found)) }
        #expect(await send(client).status == 200)
        #expect(await client.statistics().connectionsFailed == 0)
        await client.close()
        await server.stop()
    }

    @Test func `IPv4 is tried while IPv6 is refused`() async throws {
        let server = try await Server.start(ServerSettings(identity: try Pair.identity()), handler: Self.answer)
        // Nobody listens on that port of the other family.
        let found = try addresses(("::1", server.port), ("127.0.0.1", server.port))
        var settings = try settings()
        settings.connectStagger = .seconds(3600)
        let client = try Client(origin: Origin(host: "localhost"), settings: settings) { $2(.success(found)) }
        #expect(await send(client).status == 200)
        await client.close()
        await server.stop()
    }

    @Test func `connections spread over the addresses, each with a fresh look-up (fault 46)`() async throws {
        let arrived = Signal()
        let hold: @Sendable (ReceivedRequest) -> Reply = { _ in
            .later { exchange in
                await arrived.raise()
                await arrived.wait(4)
                await exchange.answer(Response(status: 200))
            }
        }
        var servers: [Server] = []
        for _ in 0..<2 {
            var settings = ServerSettings(identity: try Pair.identity())
            settings.concurrentStreams = 1
            servers.append(try await Server.start(settings, handler: hold))
        }
        let found = try addresses(("127.0.0.1", servers[0].port), ("127.0.0.1", servers[1].port))
        let asked = Mutex(0)
        var settings = try settings()
        settings.connections = 4
        let client = try Client(origin: Origin(host: "localhost"), settings: settings) {
            asked.withLock { $0 += 1 }
            $2(.success(found))
        }
        await withTaskGroup { group in
            for _ in 0..<4 { group.addTask { #expect(await send(client).status == 200) } }
        }
        #expect(await servers[0].accepted == 2)
        #expect(await servers[1].accepted == 2)
        #expect(asked.withLock { $0 } == 4)
        await client.close()
        for server in servers { await server.stop() }
    }

    @Test func `certificates are taken from a file (fault 30)`() async throws {
        let server = try await Server.start(ServerSettings(identity: try Pair.identity()), handler: Self.answer)
        let file = ScratchFile(try Pair.authority.get().certificatePEM)
        var settings = try settings()
        settings.trust = .file(file.path)
        let client = try Client(origin: Origin(host: "localhost", port: server.port), settings: settings)
        #expect(await send(client).status == 200)
        await client.close()
        await server.stop()
    }

    @Test func `who trusts the system does not trust the test's authority`() async throws {
        let server = try await Server.start(ServerSettings(identity: try Pair.identity()), handler: Self.answer)
        var settings = try settings()
        settings.trust = .system
        let client = try Client(origin: Origin(host: "localhost", port: server.port), settings: settings)
        guard case .unprocessed(.unreachable(let why)) = await send(client) else {
            Issue.record("trusted a stranger")
            return
        }
        #expect(why.contains("certificate"))
        await client.close()
        await server.stop()
    }
}
