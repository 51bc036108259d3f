import Glibc
import Testing

@testable import HTTP2

/// A server that cannot be reached, or not spoken to: the request is provably unprocessed, and says why.
@Suite(.timeLimit(.minutes(4)))
struct HostileConnectionTests {
    /// Expected is a part of the reason.
    typealias Case = HostileCase<String>

    static let handshakes = [
        Case("closed at once", "closed by the peer") { $0.closeSocket() },
        Case("reset at once", "onnection reset by peer") { $0.resetSocket() },
        Case("says nothing", "TLS handshake timed out", patience: .milliseconds(500)) { $0.untilGone() },
        Case("does not speak TLS", "TLS: ") {
            try $0.sendNaked(Array("SSH-2.0-OpenSSH_9.2\r\n".utf8))
            $0.untilGone()
        },
        Case("drips its handshake", "TLS handshake timed out", patience: .milliseconds(500)) { peer in
            for byte in [0x16, 0x03, 0x03, 0x40, 0x00] + [UInt8](repeating: 2, count: 9000) {
                try peer.sendNaked([byte])
                usleep(10_000)
            }
        },
        Case("closed after TLS", "closed by the peer") {
            try $0.greet()
            $0.closeSocket()
        },
    ]

    @Test(arguments: handshakes) func `a failed connection is no processed request`(example: Case) async throws {
        let server = try HostileServer { peer, _ in try example.act(peer) }
        var settings = ClientSettings()
        settings.connectTimeout = example.patience
        settings.trust = .pem(try Pair.authority.get().certificatePEM)
        let client = try Client(origin: Origin(host: "localhost", port: server.port), settings: settings)
        let result = await client.send(Request(path: "/"), deadline: .now + .seconds(60))
        switch result {
        case .unprocessed(.unreachable(let why)), .unprocessed(.connectionLost(let why)),
            .ambiguous(.connectionLost(let why)) where example.testDescription == "closed after TLS":
            #expect(why.contains(example.expected))
        default: Issue.record("\(result)")
        }
        await client.close()
        server.stop()
    }

    @Test func `a host that takes no connection is given up at the connect deadline (fault 19)`() async throws {
        let hole = try BlackHole()
        var settings = ClientSettings()
        settings.connectTimeout = .milliseconds(500)
        settings.trust = .pem(try Pair.authority.get().certificatePEM)
        let client = try Client(origin: Origin(host: "127.0.0.1", port: hole.port), settings: settings)
        let result = await client.send(Request(path: "/"), deadline: .now + .seconds(60))
        #expect(
            result == .unprocessed(.unreachable("https://127.0.0.1:\(hole.port): connecting timed out")))
        await client.close()
    }

    @Test func `a request's own deadline may come before that of connecting (fault 51)`() async throws {
        let hole = try BlackHole()
        let client = try Pair.client(port: hole.port)
        let result = await client.send(Request(path: "/"), deadline: .now + .milliseconds(300))
        #expect(result == .unprocessed(.deadline))
        await client.close()
    }

    @Test func `while a name has no address, requests fail at once and say so`() async throws {
        let settings = ClientSettings()
        let client = try Client(origin: Origin(host: "push.example"), settings: settings) { host, _, answer in
            answer(.failure(HTTP2Error("name \(host): Temporary failure in name resolution")))
        }
        let result = await client.send(Request(path: "/"), deadline: .now + .seconds(60))
        #expect(
            result == .unprocessed(.unreachable("name push.example: Temporary failure in name resolution")))
        await client.close()
    }

    @Test func `a resolver that never answers costs no more than the connect deadline`() async throws {
        var settings = ClientSettings()
        settings.connectTimeout = .milliseconds(300)
        let client = try Client(origin: Origin(host: "push.example"), settings: settings) { _, _, _ in }
        let result = await client.send(Request(path: "/"), deadline: .now + .seconds(60))
        #expect(result == .unprocessed(.unreachable("https://push.example: connecting timed out")))
        await client.close()
    }

    @Test func `a name that is gone does not disturb the connection that is there`() async throws {
        let server = try HostileServer { peer, _ in
            try peer.greet()
            while true { try peer.send(.answer(try peer.request())) }
        }
        let isGone = Flag()
        var settings = ClientSettings()
        settings.trust = .pem(try Pair.authority.get().certificatePEM)
        settings.connectTimeout = .seconds(60)
        let client = try Client(origin: Origin(host: "localhost", port: server.port), settings: settings) {
            isGone.isUp ? $2(.failure(HTTP2Error("name \($0): gone"))) : Resolver.system($0, $1, $2)
        }
        #expect(await client.send(Request(path: "/"), deadline: .now + .seconds(60)).status == 200)
        isGone.raise()
        #expect(await client.send(Request(path: "/"), deadline: .now + .seconds(60)).status == 200)
        await client.close()
        server.stop()
    }
}

/// A port whose connections are never accepted and whose queue is full: packets to it are dropped, as by a firewall.
final class BlackHole {
    let port: UInt16
    private let listener: Int32
    private var fillers: [Int32] = []

    init() throws {
        (listener, port) = try Listening.open(host: "127.0.0.1", port: 0)
        listen(listener, 0)
        let address = try #require(try SocketAddress.lookUp(host: "127.0.0.1", port: port).get().first)
        // A queue of nought holds one; the second waits half-open and keeps all others out.
        for _ in 0..<2 {
            let filler = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_NONBLOCK.rawValue), 0)
            _ = address.withPointer { connect(filler, $0, $1) }
            fillers.append(filler)
        }
    }

    deinit {
        fillers.forEach { close($0) }
        Listening.close(listener)
    }
}
