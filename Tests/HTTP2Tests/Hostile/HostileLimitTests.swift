import Glibc
import Synchronization
import Testing

@testable import HTTP2

/// Limits that change under the client's hands.
@Suite(.timeLimit(.minutes(4)))
struct HostileLimitTests {
    @Test func `streams shrink to one in mid-flight and grow again`() async throws {
        let most = Mutex((before: 0, between: 0, after: 0))
        let server = try HostileServer { peer, _ in
            try peer.warm([3: 10])
            // Ten are under way when the limit falls.
            let first = try (0..<10).map { _ in try peer.request() }
            most.withLock { $0.before = first.count }
            try peer.send(.settings([3: 1]))
            for stream in first { try peer.send(.answer(stream)) }
            // One by one: another may come only once this one is answered.
            for _ in 0..<10 {
                let stream = try peer.request()
                try peer.send(Frame(.ping, [UInt8](repeating: 7, count: 8)))
                var open = 1
                while true {
                    let frame = try peer.frame()
                    if frame.kind == Frame.Kind.headers.rawValue { open += 1 }
                    if frame.kind == Frame.Kind.ping.rawValue { break }
                }
                most.withLock { $0.between = max($0.between, open) }
                try peer.send(.answer(stream))
            }
            try peer.send(.settings([3: 5]))
            let last = try (0..<5).map { _ in try peer.request() }
            most.withLock { $0.after = last.count }
            for stream in last { try peer.send(.answer(stream)) }
            while true { try peer.send(.answer(try peer.request())) }
        }
        let client = try Pair.client(port: server.port)
        #expect(await client.send(Request(path: "/warm"), deadline: .now + .seconds(60)).status == 200)
        let statuses = await withTaskGroup { group in
            for index in 0..<30 {
                group.addTask {
                    await client.send(Request(path: "/\(index)", body: [0x7B]), deadline: .now + .seconds(60)).status
                }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(statuses == [Int?](repeating: 200, count: 30))
        #expect(most.withLock { $0 } == (10, 1, 5))
        #expect(server.accepted == 1)
        await client.close()
        server.stop()
    }

    @Test func `a limit of nothing makes requests wait, until it is lifted`() async throws {
        let isWaiting = Flag()
        let server = try HostileServer { peer, _ in
            try peer.warm([3: 1])
            try peer.send(.settings([3: 0]))
            // The acknowledgement: from here on the client knows.
            while try peer.frame().flags & Frame.acknowledgement == 0 {}
            guard isWaiting.block() else { return }
            try peer.send(.settings([3: 1]))
            while true { try peer.send(.answer(try peer.request())) }
        }
        let client = try Pair.client(port: server.port)
        #expect(await client.send(Request(path: "/warm"), deadline: .now + .seconds(60)).status == 200)
        while await client.statistics().streamsAllowed > 0 { await Task.yield() }
        let early = await client.send(Request(path: "/early"), deadline: .now + .milliseconds(200))
        #expect(early == .unprocessed(.deadline))
        isWaiting.raise()
        #expect(await client.send(Request(path: "/later"), deadline: .now + .seconds(60)).status == 200)
        await client.close()
        server.stop()
    }

    @Test func `a window that is never opened ends the request at its deadline`() async throws {
        let server = try HostileServer { peer, _ in
            // Ten bytes of body a stream, for ever.
            try peer.warm([3: 100, 4: 10])
            _ = try peer.request(whole: false)
            peer.untilGone()
        }
        let client = try Pair.client(port: server.port)
        #expect(await client.send(Request(path: "/warm"), deadline: .now + .seconds(60)).status == 200)
        while await client.statistics().streamsAllowed < 100 { await Task.yield() }
        let request = Request(path: "/x", body: [UInt8](repeating: 0x20, count: 1000))
        #expect(await client.send(request, deadline: .now + .milliseconds(500)) == .ambiguous(.timeout))
        await client.close()
        server.stop()
    }

    @Test func `an answer before the end of the request is an answer`() async throws {
        let server = try HostileServer { peer, _ in
            try peer.warm([3: 100, 4: 10])
            try peer.send(.answer(try peer.request(whole: false), [(":status", "403")]))
            peer.untilGone()
        }
        let client = try Pair.client(port: server.port)
        #expect(await client.send(Request(path: "/warm"), deadline: .now + .seconds(60)).status == 200)
        let request = Request(path: "/x", body: [UInt8](repeating: 0x20, count: 1000))
        #expect(await client.send(request, deadline: .now + .seconds(60)).status == 403)
        await client.close()
        server.stop()
    }

    @Test func `a late answer belongs to nobody, and the connection goes on`() async throws {
        let isOver = Flag()
        let server = try HostileServer { peer, _ in
            try peer.warm()
            let late = try peer.request()
            // A sign of life, so that the connection is not suspected.
            try peer.send(Frame(.ping, [UInt8](repeating: 1, count: 8)))
            guard isOver.block() else { return }
            try peer.send(.answer(late, [(":status", "500")]))
            while true { try peer.send(.answer(try peer.request())) }
        }
        let client = try Pair.client(port: server.port)
        #expect(await client.send(Request(path: "/warm"), deadline: .now + .seconds(60)).status == 200)
        let late = await client.send(Request(path: "/late", body: [0x7B]), deadline: .now + .milliseconds(500))
        #expect(late == .ambiguous(.timeout))
        isOver.raise()
        #expect(await client.send(Request(path: "/next"), deadline: .now + .seconds(60)).status == 200)
        #expect(server.accepted == 1)
        await client.close()
        server.stop()
    }

    @Test func `after a request that heard nothing, the next one takes another connection`() async throws {
        let server = try HostileServer { peer, connection in
            try peer.warm()
            if connection == 1 { _ = try peer.request() }
            peer.untilGone()
        }
        let client = try Pair.client(port: server.port)
        #expect(await client.send(Request(path: "/warm"), deadline: .now + .seconds(60)).status == 200)
        let lost = await client.send(Request(path: "/lost", body: [0x7B]), deadline: .now + .milliseconds(500))
        #expect(lost == .ambiguous(.timeout))
        #expect(await client.send(Request(path: "/next"), deadline: .now + .seconds(60)).status == 200)
        #expect(server.accepted == 2)
        await client.close()
        server.stop()
    }

    @Test func `a half-open connection is found by PING, with all that is open on it (fault 20)`() async throws {
        let server = try HostileServer { peer, connection in
            try peer.warm()
            guard connection > 1 else {
                // From here on it reads nothing and says nothing; the kernel goes on taking bytes.
                return peer.untilServerStops()
            }
            peer.untilGone()
        }
        var settings = ClientSettings()
        settings.upkeep.pingAfterIdle = .milliseconds(200)
        settings.upkeep.pingTimeout = .milliseconds(500)
        let client = try Pair.client(port: server.port, settings)
        #expect(await client.send(Request(path: "/warm"), deadline: .now + .seconds(60)).status == 200)
        let results = await withTaskGroup { group in
            for index in 0..<20 {
                group.addTask {
                    await client.send(Request(path: "/\(index)", body: [0x7B]), deadline: .now + .seconds(60))
                }
            }
            return await group.reduce(into: Set()) { $0.insert($1) }
        }
        #expect(results == [.ambiguous(.connectionLost("silent: no answer to PING"))])
        #expect(await client.statistics().connectionsCondemned == 1)
        await client.close()
        server.stop()
    }
}
