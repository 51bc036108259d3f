import Glibc
import Testing

@testable import HTTP2

/// A server that treats one request badly, on a connection that worked until then: the result is the right one of the
/// three, and it comes.
@Suite(.timeLimit(.minutes(4)))
struct HostileAnswerTests {
    /// What the server does about stream 3, and what the request on it comes to.
    typealias Case = HostileCase<RequestResult>

    private static let accepted = RequestResult.answer(Response(status: 200))
    private static let short = Duration.milliseconds(500)

    private static func farewell(last: Int32, code: ErrorCode = .noError, debug: String = "") -> GoAway {
        GoAway(lastStream: last, code: code, debug: debug)
    }

    // MARK: Resets

    static let resets = [
        Case("a reset before the header fields", .ambiguous(.reset(.internalError, status: nil))) {
            try $0.send(.reset(3, 2))
        },
        Case("a reset after the header fields", .ambiguous(.reset(.cancel, status: 200))) {
            try $0.send(.answer(3, end: false), .reset(3, 8))
        },
        Case("REFUSED_STREAM", .unprocessed(.refusedStream)) { try $0.send(.reset(3, 7)) },
        Case("REFUSED_STREAM after the header fields", .ambiguous(.reset(.refusedStream, status: 200))) {
            try $0.send(.answer(3, end: false), .reset(3, 7))
        },
        Case("a reset after a whole answer", accepted) { try $0.send(.answer(3), .reset(3, 0)) },
        Case("an unknown code", .ambiguous(.reset(ErrorCode(rawValue: 4711), status: nil))) {
            try $0.send(.reset(3, 4711))
        },
    ]

    // MARK: Farewells

    static let farewells = [
        Case("GOAWAY below the stream", .unprocessed(.goAway(farewell(last: 1, debug: "max_age")))) {
            try $0.send(.goAway(last: 1, debug: "max_age"))
        },
        Case("GOAWAY with an error", .unprocessed(.goAway(farewell(last: 1, code: .enhanceYourCalm)))) {
            try $0.send(.goAway(last: 1, code: 11))
        },
        Case("GOAWAY that includes the stream, and its answer", accepted) {
            try $0.send(.goAway(last: 3), .answer(3))
        },
        Case("GOAWAY that includes the stream, and the end", .ambiguous(.goAway(farewell(last: 3)))) {
            try $0.send(.goAway(last: 3))
            $0.closeSocket()
        },
        Case("GOAWAY that includes the stream, and silence", .ambiguous(.timeout), patience: short) {
            try $0.send(.goAway(last: 3))
        },
        Case("GOAWAY twice, the second one names less", .unprocessed(.goAway(farewell(last: 1)))) {
            try $0.send(.goAway(last: .max), .goAway(last: 1))
        },
        Case("GOAWAY twice, and the answer", accepted) {
            try $0.send(.goAway(last: .max), .goAway(last: 3), .answer(3))
        },
    ]

    // MARK: Ends of the connection

    static let ends = [
        Case("TLS closed without notify", .ambiguous(.connectionLost("closed by the peer"))) { $0.closeSocket() },
        Case("TLS closed", .ambiguous(.connectionLost("TLS closed by the peer"))) { try $0.endTLS() },
        Case("half a frame, and the end", .ambiguous(.connectionLost("closed by the peer"))) {
            try $0.send(bytes: Array(Frame.answer(3).bytes.dropLast(3)))
            $0.closeSocket()
        },
        Case("an answer, and the end", accepted) {
            try $0.send(.answer(3))
            $0.closeSocket()
        },
        Case("an answer, and garbage behind it", accepted) {
            try $0.send(bytes: Frame.answer(3).bytes + [UInt8](repeating: 0xFF, count: 100))
        },
        Case("an answer, and garbage outside TLS", accepted) {
            try $0.send(.answer(3))
            try $0.sendNaked([UInt8](repeating: 0xFF, count: 100))
        },
    ]

    // MARK: Answers that take their time

    static let delays = [
        Case("no answer", .ambiguous(.timeout), patience: short) { _ in },
        Case("header fields, and no end", .ambiguous(.timeout), patience: short) {
            try $0.send(.answer(3, end: false), .data(3, [0x7B], end: false))
        },
        Case("a frame byte by byte", .ambiguous(.timeout), patience: short) { peer in
            for byte in Frame.answer(3, [(":status", "200"), ("a", String(repeating: "b", count: 9000))]).bytes {
                try peer.send(bytes: [byte])
                usleep(10_000)
            }
        },
        Case("a body byte by byte", .ambiguous(.timeout), patience: short) { peer in
            try peer.send(.answer(3, end: false))
            while true {
                try peer.send(.data(3, [0x20], end: false))
                usleep(10_000)
            }
        },
        Case("a status 100 in front", accepted) {
            try $0.send(.answer(3, [(":status", "100")], end: false), .answer(3))
        },
    ]

    @Test(arguments: resets + farewells + ends + delays)
    func `every end of a request has its value`(example: Case) async throws {
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
        let result = await client.send(Request(path: "/x", body: [0x7B]), deadline: .now + example.patience)
        #expect(result == example.expected)
        await client.close()
        server.stop()
    }
}
