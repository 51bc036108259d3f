import HTTP2
import TestSupport
import Testing

/// A server that ends connections by itself.
@Suite(.timeLimit(.minutes(4)))
struct ConnectionLimitTests {
    private func server(
        _ change: (inout ConnectionLimits) -> Void,
        _ handler: @escaping @Sendable (ReceivedRequest) -> Reply = { _ in .answer(Response(status: 200)) }
    ) async throws -> Server {
        var settings = ServerSettings(identity: try Pair.identity())
        change(&settings.limits)
        return try await Server.start(settings, handler: handler)
    }

    private let hello = Request(path: "/", body: Array("hello".utf8))

    @Test(arguments: ["idle", "age"])
    func `a connection ends when it is idle or old, with the words of the settings`(limit: String) async throws {
        let server = try await server { limits in
            if limit == "idle" {
                limits.idle = .milliseconds(50)
                limits.idleFarewell = Farewell(debug: #"{"reason":"words"}"#)
            } else {
                limits.age = .milliseconds(50)
                limits.ageFarewell = Farewell(debug: #"{"reason":"words"}"#)
            }
        }
        let client = try Pair.client(port: server.port)
        #expect(await client.send(hello, deadline: .now + .seconds(45)).status == 200)
        #expect(try await eventually(within: .seconds(45)) { await client.statistics().goAways == ["words": 1] })
        #expect(await client.send(hello, deadline: .now + .seconds(45)).status == 200)
        await client.close()
        await server.stop()
    }

    @Test func `an open request keeps a connection from being idle`() async throws {
        let release = Signal()
        let server = try await server({ $0.idle = .milliseconds(50) }) { request in
            guard request.path == "/slow" else { return .answer(Response(status: 200)) }
            return .later { exchange in
                await release.wait()
                await exchange.answer(Response(status: 200))
            }
        }
        let slow = try Pair.client(port: server.port)
        let quick = try Pair.client(port: server.port)
        async let answer = slow.send(Request(path: "/slow"), deadline: .now + .seconds(45))
        #expect(await quick.send(hello, deadline: .now + .seconds(45)).status == 200)
        // The other connection's end shows that the time for this one would have been over, too.
        #expect(try await eventually(within: .seconds(45)) { await !quick.statistics().goAways.isEmpty })
        #expect(await slow.statistics().goAways.isEmpty)
        await release.raise()
        #expect(await answer.status == 200)
        await slow.close()
        await quick.close()
        await server.stop()
    }

    @Test func `a client that pings without need is sent away`() async throws {
        let server = try await server { limits in
            limits.pings = 2
            limits.pingFarewell = Farewell(code: .enhanceYourCalm, debug: "too_many_pings")
        }
        var settings = ClientSettings()
        settings.upkeep.pingAfterIdle = .milliseconds(10)
        settings.upkeep.pingTimeout = .seconds(1)
        let client = try Pair.client(port: server.port, settings)
        #expect(await client.send(hello, deadline: .now + .seconds(45)).status == 200)
        #expect(
            try await eventually(within: .seconds(45)) { await client.statistics().goAways["too_many_pings"] == 1 })
        await client.close()
        await server.stop()
    }
}
