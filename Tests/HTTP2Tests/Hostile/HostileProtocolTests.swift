import Testing

@testable import HTTP2

/// A server that breaks HTTP/2: what was asked is ambiguous, for whatever comes from such a server proves nothing.
@Suite(.timeLimit(.minutes(4)))
struct HostileProtocolTests {
    typealias Case = HostileCase<Void>

    /// On stream 3, after a good answer on stream 1.
    static let violations = [
        Case("garbage") { try $0.send(bytes: [UInt8](repeating: 0xFF, count: 100)) },
        Case("garbage outside TLS") { try $0.sendNaked([UInt8](repeating: 0xFF, count: 100)) },
        Case("an answer in HTTP/1.1") { try $0.send(bytes: Array("HTTP/1.1 200 OK\r\n\r\n".utf8)) },
        Case("no status") { try $0.send(.answer(3, [("a", "b")])) },
        Case("a status that is no number") { try $0.send(.answer(3, [(":status", "abc")])) },
        Case("two statuses") { try $0.send(.answer(3, [(":status", "200"), (":status", "500")])) },
        Case("a name in upper case") { try $0.send(.answer(3, [(":status", "200"), ("Apns-Id", "x")])) },
        Case("a body that is shorter than said") {
            try $0.send(
                .answer(3, [(":status", "200"), ("content-length", "5")], end: false), .data(3, [0x7B], end: true))
        },
        Case("a body before the header fields") { try $0.send(.data(3, [0x7B], end: true)) },
        Case("a table entry that does not exist") {
            try $0.send(Frame(.headers, flags: Frame.endHeaders | Frame.endStream, stream: 3, [0xFF, 0x7F]))
        },
        Case("a pushed stream") {
            try $0.send(Frame(.pushPromise, flags: Frame.endHeaders, stream: 3, Frame.word(2) + [0x82, 0x87, 0x84]))
        },
        Case("a stream that was never opened") { try $0.send(.answer(5)) },
        Case("a frame larger than allowed") {
            try $0.send(.data(3, [UInt8](repeating: 0x20, count: 20_000), end: false))
        },
        Case("header fields cut by another frame") {
            try $0.send(
                Frame(.headers, stream: 3, Frame.block([(":status", "200")])), .data(3, [0x7B], end: true))
        },
        Case("header fields without end") { peer in
            let part = Frame.block([("a", String(repeating: "b", count: 16_000))])
            try peer.send(Frame(.headers, stream: 3, Frame.block([(":status", "200")])))
            while true { try peer.send(Frame(.continuation, stream: 3, part)) }
        },
        Case("a window opened too far") {
            try $0.send(Frame(.windowUpdate, stream: 3, Frame.word(0x7FFF_FFFF)))
        },
        Case("a window opened by nothing") { try $0.send(Frame(.windowUpdate, stream: 0, Frame.word(0))) },
        Case("settings out of range") { try $0.send(.settings([4: 0xFFFF_FFFF])) },
        Case("PING of the wrong size") { try $0.send(Frame(.ping, [1, 2, 3])) },
        Case("endless PINGs that nobody reads the answers of") { peer in
            while true { try peer.send(Frame(.ping, [0, 0, 0, 0, 0, 0, 0, 0])) }
        },
    ]

    @Test(arguments: violations) func `a violation makes the request ambiguous`(example: Case) async throws {
        let server = try HostileServer { peer, connection in
            try peer.warm()
            guard connection == 1 else { return peer.untilGone() }
            guard try peer.request() == 3 else { return }
            try example.act(peer)
            peer.untilGone()
        }
        let client = try Pair.client(port: server.port)
        let warm = await client.send(Request(path: "/warm"), deadline: .now + .seconds(60))
        #expect(warm.status == 200)
        let result = await client.send(Request(path: "/x", body: [0x7B]), deadline: .now + .seconds(60))
        switch result {
        case .ambiguous(.malformedAnswer), .ambiguous(.connectionLost), .ambiguous(.answerTooLarge),
            .ambiguous(.reset):
            break
        default: Issue.record("\(result)")
        }
        await client.close()
        server.stop()
    }

    @Test func `the next request after a violation is answered on a new connection`() async throws {
        let server = try HostileServer { peer, connection in
            try peer.warm()
            guard connection == 1 else { return peer.untilGone() }
            _ = try peer.request()
            try peer.send(bytes: [UInt8](repeating: 0xFF, count: 100))
            peer.untilGone()
        }
        let client = try Pair.client(port: server.port)
        var statuses: [Int?] = []
        for path in ["/warm", "/broken", "/again"] {
            statuses.append(await client.send(Request(path: path), deadline: .now + .seconds(60)).status)
        }
        #expect(statuses == [200, nil, 200])
        #expect(server.accepted == 2)
        await client.close()
        server.stop()
    }
}
