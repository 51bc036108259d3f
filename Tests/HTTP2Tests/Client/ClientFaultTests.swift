import HTTP2
import Testing

/// What servers do wrong, and the result each of it has.
@Suite(.timeLimit(.minutes(3)))
struct ClientFaultTests {
    @Test func `a server that never answers makes the request ambiguous at its deadline (fault 17)`() async throws {
        let pair = try await Pair.start { $0.path == "/warm" ? .answer(Response(status: 200)) : .never }
        #expect(await pair.send("/warm").status == 200)
        #expect(await pair.send(within: .seconds(1)) == .ambiguous(.timeout))
        await pair.stop()
    }

    @Test func `REFUSED_STREAM is provably unprocessed`() async throws {
        let pair = try await Pair.start { _ in .reset(.refusedStream) }
        #expect(await pair.send() == .unprocessed(.refusedStream))
        await pair.stop()
    }

    @Test func `another reset before the answer is ambiguous (fault 26)`() async throws {
        let pair = try await Pair.start { _ in .reset(.internalError) }
        #expect(await pair.send() == .ambiguous(.reset(.internalError, status: nil)))
        await pair.stop()
    }

    @Test func `a reset after the header fields is ambiguous and tells the status`() async throws {
        let pair = try await Pair.start { _ in
            .later { exchange in
                await exchange.begin(status: 200)
                await exchange.reset(.cancel)
            }
        }
        #expect(await pair.send() == .ambiguous(.reset(.cancel, status: 200)))
        await pair.stop()
    }

    @Test func `a lost connection makes what was sent ambiguous`() async throws {
        let pair = try await Pair.start { _ in .later { await $0.disconnect() } }
        let result = await pair.send()
        // Closed or reset: the kernel's choice, by whether the server had read everything.
        guard case .ambiguous(.connectionLost) = result else {
            Issue.record("\(result)")
            return await pair.stop()
        }
        await pair.stop()
    }

    @Test func `GOAWAY frees the streams above its last id and leaves the others to be answered (fault 22)`()
        async throws
    {
        let arrived = Signal()
        let said = Signal()
        let pair = try await Pair.start { request in
            .later { exchange in
                await arrived.raise()
                if request.path == "/farewell" {
                    await arrived.wait(4)
                    await exchange.goAway(lastStream: 3, debug: #"{"reason":"Shutdown"}"#)
                    await said.raise()
                } else {
                    await said.wait()
                    await exchange.answer(Response(status: 200))
                }
            }
        }
        // One after the other, so that stream numbers are known: 1, 3, 5, 7.
        async let first = pair.send("/a")
        await arrived.wait(1)
        async let second = pair.send("/b")
        await arrived.wait(2)
        async let third = pair.send("/c")
        await arrived.wait(3)
        async let fourth = pair.send("/farewell")
        let goAway = GoAway(lastStream: 3, code: .noError, debug: #"{"reason":"Shutdown"}"#)
        #expect(await first.status == 200)
        #expect(await second.status == 200)
        #expect(await third == .unprocessed(.goAway(goAway)))
        #expect(await fourth == .unprocessed(.goAway(goAway)))
        #expect(await pair.client.statistics().goAways == ["Shutdown": 1])
        await pair.stop()
    }

    @Test func `after GOAWAY the next request opens a new connection (fault 21)`() async throws {
        let pair = try await Pair.start { request in
            request.path == "/farewell"
                ? .later { exchange in
                    await exchange.answer(Response(status: 200))
                    await exchange.goAway()
                } : .answer(Response(status: 200, body: [UInt8(request.connection)]))
        }
        #expect(await pair.send("/farewell").status == 200)
        // Until the GOAWAY arrives the old connection may still be used; it then refuses or answers, never hangs.
        var connection: UInt8 = 1
        while connection == 1 {
            if case .answer(let response) = await pair.send("/x") { connection = response.body.first ?? 0 }
        }
        #expect(connection == 2)
        await pair.stop()
    }

    @Test func `a silent server is condemned after an unanswered PING`() async throws {
        var settings = ClientSettings()
        settings.upkeep.pingAfterIdle = .milliseconds(500)
        settings.upkeep.pingTimeout = .seconds(1)
        let pair = try await Pair.start(settings) { request in
            request.path == "/warm" ? .answer(Response(status: 200)) : .later { await $0.silence() }
        }
        #expect(await pair.send("/warm").status == 200)
        #expect(await pair.send() == .ambiguous(.connectionLost("silent: no answer to PING")))
        #expect(await pair.client.statistics().connectionsCondemned == 1)
        await pair.stop()
    }

    @Test func `an answer above the limit is cut off`() async throws {
        let pair = try await Pair.start { _ in
            .answer(Response(status: 200, body: [UInt8](repeating: 0x20, count: 200_000)))
        }
        #expect(await pair.send() == .ambiguous(.answerTooLarge(status: 200)))
        await pair.stop()
    }

    @Test func `an oversized header list is cut off`() async throws {
        let pair = try await Pair.start { _ in
            .answer(Response(status: 200, headers: ["x": String(repeating: "y", count: 20_000)]))
        }
        #expect(await pair.send() == .ambiguous(.answerTooLarge(status: 200)))
        await pair.stop()
    }

    @Test func `garbage in the connection makes what is open ambiguous`() async throws {
        let pair = try await Pair.start { _ in .later { await $0.writeRaw([UInt8](repeating: 0xFF, count: 64)) } }
        guard case .ambiguous(.connectionLost) = await pair.send() else {
            Issue.record("garbage passed for an answer")
            return
        }
        await pair.stop()
    }

    @Test func `cancelling the task gives the request up`() async throws {
        let arrived = Signal()
        let pair = try await Pair.start { _ in .later { _ in await arrived.raise() } }
        let task = Task { await pair.send() }
        await arrived.wait()
        task.cancel()
        #expect(await task.value == .ambiguous(.cancelled))
        await pair.stop()
    }

    @Test func `closing the client ends every open request (fault 4)`() async throws {
        let arrived = Signal()
        let pair = try await Pair.start(streams: 1) { _ in .later { _ in await arrived.raise() } }
        async let open = pair.send("/open")
        await arrived.wait()
        let queued = Task { await pair.send("/waiting") }
        while await pair.client.statistics().waiting == 0 { await Task.yield() }
        await pair.client.close()
        #expect(await open == .ambiguous(.closed))
        #expect(await queued.value == .unprocessed(.closed))
        await pair.stop()
    }
}
