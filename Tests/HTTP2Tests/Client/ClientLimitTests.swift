import HTTP2
import Synchronization
import Testing

/// How many requests are under way at once, and what becomes of the others.
@Suite(.timeLimit(.minutes(3)))
struct ClientLimitTests {
    /// Counts how many requests a server holds at once.
    private final class Gauge: Sendable {
        private let counts = Mutex((now: 0, most: 0))
        func enter() {
            counts.withLock {
                $0.now += 1
                $0.most = max($0.most, $0.now)
            }
        }
        func leave() { counts.withLock { $0.now -= 1 } }
        var most: Int { counts.withLock { $0.most } }
    }

    @Test(arguments: [UInt32(1), 3]) func `no more streams are open than SETTINGS allow (fault 23)`(limit: UInt32)
        async throws
    {
        let gauge = Gauge()
        let pair = try await Pair.start(streams: limit) { _ in
            gauge.enter()
            return .later { exchange in
                await Task.yield()
                gauge.leave()
                await exchange.answer(Response(status: 200))
            }
        }
        let statuses = await withTaskGroup { group in
            for _ in 0..<50 { group.addTask { await pair.send().status } }
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(statuses == [Int?](repeating: 200, count: 50))
        #expect(gauge.most <= limit)
        await pair.stop()
    }

    @Test func `a shrinking limit is kept from the moment it is acknowledged`() async throws {
        let gauge = Gauge()
        let pair = try await Pair.start(streams: 100) { request in
            if request.path == "/shrink" {
                return .later { exchange in
                    await exchange.setConcurrentStreams(1)
                    await exchange.answer(Response(status: 200))
                }
            }
            gauge.enter()
            return .later { exchange in
                await Task.yield()
                gauge.leave()
                await exchange.answer(Response(status: 200))
            }
        }
        #expect(await pair.send("/shrink").status == 200)
        while await pair.client.statistics().streamsAllowed != 1 { await Task.yield() }
        await withTaskGroup { group in
            for _ in 0..<30 { group.addTask { #expect(await pair.send().status == 200) } }
        }
        #expect(gauge.most == 1)
        await pair.stop()
    }

    @Test func `the first request of a new connection goes alone`() async throws {
        let first = Signal()
        let order = Mutex<[String]>([])
        let pair = try await Pair.start(.apns) { request in
            order.withLock { $0.append(request.path) }
            guard order.withLock({ $0.count }) == 1 else { return .answer(Response(status: 200)) }
            return .later { exchange in
                await first.raise()
                // Long enough for the others to come if they were allowed to.
                for _ in 0..<1000 { await Task.yield() }
                order.withLock { $0.append("answered") }
                await exchange.answer(Response(status: 200))
            }
        }
        await withTaskGroup { group in
            for index in 0..<20 { group.addTask { #expect(await pair.send("/\(index)").status == 200) } }
        }
        #expect(order.withLock { $0.dropFirst().first } == "answered")
        #expect(await pair.server.accepted == 1)
        await pair.stop()
    }

    @Test func `a full connection makes another, up to the setting`() async throws {
        let arrived = Signal()
        var settings = ClientSettings()
        settings.connections = 3
        let pair = try await Pair.start(settings, streams: 2) { _ in
            .later { exchange in
                await arrived.raise()
                await arrived.wait(6)
                await exchange.answer(Response(status: 200))
            }
        }
        await withTaskGroup { group in
            for _ in 0..<10 { group.addTask { #expect(await pair.send().status == 200) } }
        }
        #expect(await pair.server.accepted == 3)
        await pair.stop()
    }

    @Test func `a request that got no stream by its deadline is unprocessed`() async throws {
        let arrived = Signal()
        let pair = try await Pair.start(streams: 1) { _ in .later { _ in await arrived.raise() } }
        let holding = Task { await pair.send("/holds") }
        await arrived.wait()
        #expect(await pair.send("/waits", within: .milliseconds(100)) == .unprocessed(.deadline))
        holding.cancel()
        _ = await holding.value
        await pair.stop()
    }

    @Test func `more waiting requests than the setting are turned away (fault 44)`() async throws {
        let arrived = Signal()
        var settings = ClientSettings()
        settings.waitingRequests = 1
        let pair = try await Pair.start(settings, streams: 1) { _ in .later { _ in await arrived.raise() } }
        let holding = Task { await pair.send() }
        await arrived.wait()
        let waiting = Task { await pair.send() }
        while await pair.client.statistics().waiting == 0 { await Task.yield() }
        #expect(await pair.send() == .unprocessed(.queueFull))
        holding.cancel()
        waiting.cancel()
        _ = await (holding.value, waiting.value)
        await pair.stop()
    }

    @Test func `an idle connection is closed after the setting`() async throws {
        var settings = ClientSettings()
        settings.upkeep.closeAfterIdle = .milliseconds(50)
        let pair = try await Pair.start(settings) { _ in .answer(Response(status: 200)) }
        #expect(await pair.send().status == 200)
        while await pair.client.statistics().connections > 0 { await Task.yield() }
        #expect(await pair.send().status == 200)
        #expect(await pair.server.accepted > 1)
        await pair.stop()
    }

    @Test func `an old connection is replaced without losing a request`() async throws {
        var settings = ClientSettings()
        settings.upkeep.maximumAge = .milliseconds(20)
        let pair = try await Pair.start(settings) { _ in .answer(Response(status: 200)) }
        while await pair.server.accepted < 3 { #expect(await pair.send().status == 200) }
        await pair.stop()
    }

    @Test func `a new credential gets new connections`() async throws {
        let pair = try await Pair.start { .answer(Response(status: 200, body: [UInt8($0.connection)])) }
        #expect(await pair.send() == .answer(Response(status: 200, body: [1])))
        await pair.client.retire()
        #expect(await pair.send() == .answer(Response(status: 200, body: [2])))
        await pair.stop()
    }
}
